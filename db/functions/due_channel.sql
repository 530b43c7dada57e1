-- The channel of the NOTIFY that tells dispatchers of schedules that are due soon. Channels belong to a database, and each
-- installation has a schema of its own in it. That in "public" has the name that it had before.
CREATE OR REPLACE FUNCTION due_channel() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE current_schema() WHEN 'public' THEN 'stopwatch_due' ELSE 'stopwatch_due_' || current_schema() END
$$;
