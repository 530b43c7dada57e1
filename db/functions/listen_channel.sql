-- The channel of the NOTIFY that tells web processes of exchanges that wait for a listener. Named like due_channel().
CREATE OR REPLACE FUNCTION listen_channel() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE current_schema() WHEN 'public' THEN 'stopwatch_listen' ELSE 'stopwatch_listen_' || current_schema() END
$$;
