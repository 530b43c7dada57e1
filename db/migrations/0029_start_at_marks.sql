DROP FUNCTION raise_lanes(uuid[], text[]);
--> statement-breakpoint
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
--> statement-breakpoint
DROP FUNCTION audit_lanes(uuid, text, integer);
--> statement-breakpoint
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
--> statement-breakpoint
-- Trigger function of accounts: enters the lanes of an account that became active again. Schedules that are firing
-- count too, because releasing them lowers nothing. Announces what is due: dispatchers sweep entries that are long due rarely.
CREATE OR REPLACE FUNCTION wake_lanes() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  -- More than one schedule is announced, so that the lane is read, whose id stands for theirs.
  PERFORM lower_lane(NEW.id, e.env, NEW.shard, first.at),
      CASE WHEN first.at <= now() + interval '6 seconds' THEN
        pg_notify(due_channel(), due_notice(NEW.shard, NEW.id, NEW.id, e.env, first.at, 2)) END
    FROM (VALUES ('live'), ('test')) e(env)
    CROSS JOIN LATERAL (
      SELECT least(
        (SELECT s.next_attempt_at FROM schedules s
          WHERE s.account_id = NEW.id AND s.env = e.env AND s.status IN ('scheduled', 'failed')
          ORDER BY s.next_attempt_at, s.id LIMIT 1),
        (SELECT min(s.next_attempt_at) FROM schedules s
          WHERE s.shard = NEW.shard AND s.status = 'firing' AND s.account_id = NEW.id AND s.env = e.env)) AS at) first
    WHERE first.at IS NOT NULL;
  RETURN NULL;
END $$;
--> statement-breakpoint
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
