-- Has the creates of a lane wait for each other until the transaction ends. Returns how many schedules the lane has created in
-- the month p_period, and the part of that row; used is 0 and part null when it has none.
--
-- Two statements, under READ COMMITTED: the second one sees what the create before it committed.
CREATE OR REPLACE FUNCTION lock_usage(p_account uuid, p_env text, p_period text, OUT used integer, OUT part integer)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(p_account::text || p_env, 0));
  SELECT u.scheduled, u.part INTO used, part FROM usage u
    WHERE u.account_id = p_account AND u.env = p_env AND u.period = p_period ORDER BY u.part DESC LIMIT 1;
  used := coalesce(used, 0);
END $$;
