-- Raises the entries of the given lanes to their oldest open schedule, or to null when none is open or the account is
-- not active. Returns the lanes whose entry is now right, with it.
--
-- Two kinds of lanes are left out. Those that another transaction has locked (a create holds the account): waiting here
-- would hold up everybody behind. And those with a firing schedule: releasing it lowers nothing.
--
-- Two statements, under READ COMMITTED: the second one has a snapshot that is younger than the locks of the first.
CREATE OR REPLACE FUNCTION raise_lanes(p_accounts uuid[], p_envs text[])
RETURNS TABLE (account_id uuid, env text, due_at timestamptz) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
  v_accounts uuid[];
  v_envs text[];
  v_shards smallint[];
BEGIN
  SELECT array_agg(k.account_id), array_agg(k.env), array_agg(DISTINCT k.shard) INTO v_accounts, v_envs, v_shards
    FROM (
      SELECT l.account_id, l.env, l.shard
      FROM unnest(p_accounts, p_envs) w(account_id, env)
      JOIN lanes l ON l.account_id = w.account_id AND l.env = w.env
      JOIN accounts a ON a.id = l.account_id
      FOR NO KEY UPDATE OF a, l SKIP LOCKED) k;

  RETURN QUERY
  WITH firsts AS MATERIALIZED (
    SELECT w.account_id, w.env, CASE WHEN a.status = 'active' THEN (
      SELECT s.next_attempt_at FROM schedules s
      WHERE s.account_id = w.account_id AND s.env = w.env AND s.status IN ('scheduled', 'failed')
      ORDER BY s.next_attempt_at, s.id LIMIT 1) END AS due_at
    FROM unnest(v_accounts, v_envs) w(account_id, env) JOIN accounts a ON a.id = w.account_id
    -- Read once and not once per lane: no index leads from a lane to its firing schedules.
    WHERE (w.account_id, w.env) NOT IN (
      SELECT s.account_id, s.env FROM schedules s WHERE s.status = 'firing' AND s.shard = ANY (v_shards))
  ), raised AS (
    UPDATE lanes l SET due_at = f.due_at FROM firsts f
    WHERE l.account_id = f.account_id AND l.env = f.env AND l.due_at IS DISTINCT FROM f.due_at
  )
  SELECT f.account_id, f.env, f.due_at::timestamptz FROM firsts f;
END $$;
