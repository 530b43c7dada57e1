-- One step of a walk over all lanes with open schedules, ordered by account and environment: at most p_limit lanes
-- after the given one. For active accounts it enters lanes that are missing in the calendar and lowers entries that are
-- too late.
--
-- missing, late           how many there were of each
-- next_account, next_env  the lane after which the next step begins; null at the end of the walk
CREATE OR REPLACE FUNCTION audit_lanes(
  p_account uuid, p_env text, p_limit integer,
  OUT missing integer, OUT late integer, OUT next_account uuid, OUT next_env text
) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  WITH RECURSIVE walk AS (
    (SELECT s.account_id, s.env, s.next_attempt_at, 1 AS n FROM schedules s
      WHERE s.status IN ('scheduled', 'failed') AND (s.account_id, s.env) > (p_account, p_env)
      ORDER BY s.account_id, s.env, s.next_attempt_at, s.id LIMIT 1)
    UNION ALL
    SELECT f.*, w.n + 1 FROM walk w CROSS JOIN LATERAL (
      SELECT s.account_id, s.env, s.next_attempt_at FROM schedules s
      WHERE s.status IN ('scheduled', 'failed') AND (s.account_id, s.env) > (w.account_id, w.env)
      ORDER BY s.account_id, s.env, s.next_attempt_at, s.id LIMIT 1) f
    WHERE w.n < p_limit
  ), wrong AS MATERIALIZED (
    SELECT w.account_id, w.env, a.shard, w.next_attempt_at, l.due_at IS NOT NULL AS is_late
    FROM walk w JOIN accounts a ON a.id = w.account_id
    LEFT JOIN lanes l ON l.account_id = w.account_id AND l.env = w.env
    WHERE a.status || '' = 'active' AND (l.due_at IS NULL OR l.due_at > w.next_attempt_at)
  ), lowered AS (
    INSERT INTO lanes AS l (account_id, env, shard, due_at)
    SELECT w.account_id, w.env, w.shard, w.next_attempt_at FROM wrong w ORDER BY w.account_id, w.env
    ON CONFLICT (account_id, env) DO UPDATE SET due_at = least(l.due_at, excluded.due_at)
  )
  SELECT count(*) FILTER (WHERE NOT w.is_late), count(*) FILTER (WHERE w.is_late),
      (SELECT e.account_id FROM walk e WHERE e.n = p_limit), (SELECT e.env FROM walk e WHERE e.n = p_limit)
    INTO missing, late, next_account, next_env FROM wrong w;
END $$;
