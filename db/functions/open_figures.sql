-- Counts the open schedules of a lane, and those of them that were not tried and are due up to p_until. Nothing that is due
-- before p_from is open: reading from there on passes no rows that are long dead.
--
-- A function because it needs planner settings: after an ANALYZE the indexes look alike, and only the one in the order of the
-- due times can be read from p_from on.
CREATE OR REPLACE FUNCTION open_figures(
  p_account uuid, p_env text, p_from timestamptz, p_until timestamptz, OUT open integer, OUT soon integer
) LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
  SELECT count(*) INTO open FROM (
    SELECT FROM schedules s
    WHERE s.account_id = p_account AND s.env = p_env AND s.status IN ('scheduled', 'failed') AND s.next_attempt_at >= p_from
    ORDER BY s.next_attempt_at, s.id LIMIT 2147483647) counted;
  SELECT count(*) INTO soon FROM (
    SELECT FROM schedules s
    WHERE s.account_id = p_account AND s.env = p_env AND s.status = 'scheduled' AND s.fire_at >= p_from AND s.fire_at <= p_until
    ORDER BY s.fire_at, s.id LIMIT 2147483647) counted;
END $$;
