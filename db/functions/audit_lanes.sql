-- One step of a walk over the lanes of all active accounts: at most p_limit accounts after the given one. It looks at open
-- schedules that are due from p_from on, enters lanes that are missing in the calendar and lowers entries that are too late.
--
-- missing, late           how many there were of each
-- next_account, next_env  the lane after which the next step begins; null at the end of the walk
CREATE OR REPLACE FUNCTION audit_lanes(
  p_account uuid, p_env text, p_limit integer, p_from timestamptz DEFAULT '-infinity',
  OUT missing integer, OUT late integer, OUT next_account uuid, OUT next_env text
) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off AS $$
BEGIN
  WITH walk AS MATERIALIZED (
    SELECT a.id, a.shard, a.status, row_number() OVER (ORDER BY a.id) AS n FROM accounts a
    WHERE a.id > p_account ORDER BY a.id LIMIT p_limit
  ), wrong AS MATERIALIZED (
    SELECT w.id AS account_id, e.env, w.shard, s.next_attempt_at, l.due_at IS NOT NULL AS is_late
    FROM walk w CROSS JOIN (VALUES ('live'), ('test')) e(env)
    CROSS JOIN LATERAL (
      SELECT d.next_attempt_at FROM schedules d
      WHERE d.account_id = w.id AND d.env = e.env AND d.status IN ('scheduled', 'failed') AND d.next_attempt_at >= p_from
      ORDER BY d.next_attempt_at, d.id LIMIT 1) s
    LEFT JOIN lanes l ON l.account_id = w.id AND l.env = e.env
    WHERE w.status = 'active' AND (l.due_at IS NULL OR l.due_at > s.next_attempt_at)
  ), lowered AS (
    INSERT INTO lanes AS l (account_id, env, shard, due_at)
    SELECT w.account_id, w.env, w.shard, w.next_attempt_at FROM wrong w ORDER BY w.account_id, w.env
    ON CONFLICT (account_id, env) DO UPDATE SET due_at = least(l.due_at, excluded.due_at)
  )
  SELECT count(*) FILTER (WHERE NOT w.is_late), count(*) FILTER (WHERE w.is_late),
      (SELECT e.id FROM walk e WHERE e.n = p_limit), (SELECT 'test' FROM walk e WHERE e.n = p_limit)
    INTO missing, late, next_account, next_env FROM wrong w;
END $$;
