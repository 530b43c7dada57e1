-- Raises the entries of the given lanes to their oldest open schedule, or to null when none is open or the account is
-- not active. Returns the lanes whose entry is now right, with it. Claims of their shards whose lease ended before
-- p_recovered_to are known to be recovered.
--
-- Two kinds of lanes are left out. Those that another transaction has locked (a create holds the account): waiting here
-- would hold up everybody behind. And those with a firing schedule: releasing it lowers nothing.
--
-- Two statements, under READ COMMITTED: the second one has a snapshot that is younger than the locks of the first. Nothing open
-- is due before the entry that a lane has, and what fires has a lease that ends at p_recovered_to or later: reading from there
-- on passes no rows that are long dead.
CREATE OR REPLACE FUNCTION raise_lanes(p_accounts uuid[], p_envs text[], p_recovered_to timestamptz DEFAULT '-infinity')
RETURNS TABLE (account_id uuid, env text, due_at timestamptz) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
#variable_conflict use_column
DECLARE
  v_accounts uuid[];
  v_envs text[];
  v_entries timestamptz[];
  v_shards smallint[];
BEGIN
  SELECT array_agg(k.account_id), array_agg(k.env), array_agg(k.due_at), array_agg(DISTINCT k.shard)
    INTO v_accounts, v_envs, v_entries, v_shards
    FROM (
      SELECT l.account_id, l.env, l.shard, l.due_at
      FROM unnest(p_accounts, p_envs) w(account_id, env)
      JOIN lanes l ON l.account_id = w.account_id AND l.env = w.env
      JOIN accounts a ON a.id = l.account_id
      FOR NO KEY UPDATE OF a, l SKIP LOCKED) k;

  RETURN QUERY
  WITH firsts AS MATERIALIZED (
    SELECT w.account_id, w.env, w.entry, CASE WHEN a.status = 'active' THEN (
      SELECT s.next_attempt_at FROM schedules s
      WHERE s.account_id = w.account_id AND s.env = w.env AND s.status IN ('scheduled', 'failed')
        AND s.next_attempt_at >= w.entry
      ORDER BY s.next_attempt_at, s.id LIMIT 1) END AS due_at
    FROM unnest(v_accounts, v_envs, v_entries) w(account_id, env, entry) JOIN accounts a ON a.id = w.account_id
    -- Read once and not once per lane: no index leads from a lane to its firing schedules.
    WHERE (w.account_id, w.env) NOT IN (
      SELECT s.account_id, s.env FROM unnest(v_shards) f(shard) CROSS JOIN LATERAL (
        SELECT d.account_id, d.env FROM schedules d
        WHERE d.status = 'firing' AND d.shard = f.shard AND d.claim_deadline >= p_recovered_to OFFSET 0) s)
  ), raised AS (
    UPDATE lanes l SET due_at = f.due_at FROM firsts f
    WHERE l.account_id = f.account_id AND l.env = f.env AND f.entry IS DISTINCT FROM f.due_at
  )
  SELECT f.account_id, f.env, f.due_at::timestamptz FROM firsts f;
END $$;
