CREATE TABLE "lanes" (
	"account_id" uuid NOT NULL,
	"env" text NOT NULL,
	"shard" smallint NOT NULL,
	"due_at" timestamp (3) with time zone,
	CONSTRAINT "lanes_account_id_env_pk" PRIMARY KEY("account_id","env"),
	CONSTRAINT "lanes_env_known" CHECK ("lanes"."env" in ('live', 'test'))
);
--> statement-breakpoint
CREATE INDEX "lanes_due" ON "lanes" USING btree ("shard","due_at","account_id","env") WHERE due_at is not null;
--> statement-breakpoint
-- An entry changes as often as its lane empties: dead ones must not pile up in front of those that are due.
ALTER TABLE "lanes" SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
--> statement-breakpoint
-- Makes the entry of a lane p_due, unless it is that early. It locks the row either way, and so comes before or after
-- whoever raises it; a plain UPDATE would judge by a snapshot that is older than its lock.
CREATE FUNCTION lower_lane(p_account uuid, p_env text, p_shard smallint, p_due timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO lanes AS l (account_id, env, shard, due_at) VALUES (p_account, p_env, p_shard, p_due)
    ON CONFLICT (account_id, env) DO UPDATE SET due_at = excluded.due_at
    WHERE l.due_at IS NULL OR l.due_at > excluded.due_at;
END $$;
--> statement-breakpoint
CREATE FUNCTION lower_lane_of_schedule() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lower_lane(NEW.account_id, NEW.env, NEW.shard, NEW.next_attempt_at);
  RETURN NULL;
END $$;
--> statement-breakpoint
-- What is due earlier than before, or again: a terminal schedule has no next attempt. A claim and its release leave
-- next_attempt_at alone, and need nothing here, since a lane with a firing schedule is not raised. Up to the commit of
-- this migration nobody else writes schedules, so that what is entered below is all there is, but for creates that are
-- under way in the former function: the audit enters those.
CREATE TRIGGER "schedules_lower_lane" AFTER UPDATE OF "next_attempt_at" ON "schedules" FOR EACH ROW
	WHEN (NEW.next_attempt_at < OLD.next_attempt_at OR (OLD.next_attempt_at IS NULL AND NEW.next_attempt_at IS NOT NULL))
	EXECUTE FUNCTION lower_lane_of_schedule();
--> statement-breakpoint
-- Enters both lanes of an account that is active again. What is firing counts too: its release lowers nothing.
CREATE FUNCTION wake_lanes() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM lower_lane(NEW.id, e.env, NEW.shard, first.at)
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
CREATE TRIGGER "accounts_wake_lanes" AFTER UPDATE OF "status" ON "accounts" FOR EACH ROW
	WHEN (NEW.status = 'active' AND OLD.status <> 'active') EXECUTE FUNCTION wake_lanes();
--> statement-breakpoint
-- Raises the entries of the given lanes to their oldest open schedule, or to null when nothing waits or the account is
-- not active. Returns those that are right now. Left out is what somebody else has locked (whoever creates holds the
-- account), since waiting would hold up everybody behind, and a lane with a firing schedule.
-- Two statements, in READ COMMITTED: the second one has a snapshot that is younger than the locks.
CREATE FUNCTION raise_lanes(p_accounts uuid[], p_envs text[])
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
    -- Read once, not once per lane: no index leads from a lane to what is firing.
    WHERE (w.account_id, w.env) NOT IN (
      SELECT s.account_id, s.env FROM schedules s WHERE s.status = 'firing' AND s.shard = ANY (v_shards))
  ), raised AS (
    UPDATE lanes l SET due_at = f.due_at FROM firsts f
    WHERE l.account_id = f.account_id AND l.env = f.env AND l.due_at IS DISTINCT FROM f.due_at
  )
  SELECT f.account_id, f.env, f.due_at::timestamptz FROM firsts f;
END $$;
--> statement-breakpoint
-- One step of a walk over all lanes with open schedules, in the order of their key: up to p_limit of them behind the given
-- one. Enters those that are missing and lowers those that are too late, for active accounts; returns how many they
-- were, and where the walk goes on (null: it is at its end).
CREATE FUNCTION audit_lanes(
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
--> statement-breakpoint
-- What the dispatchers are told of schedules of one lane that are due soon: shard and id of the earliest one, its account
-- and environment, its instant in epoch ms, and how many they are. Former dispatchers read the first two.
CREATE FUNCTION due_notice(p_shard smallint, p_id uuid, p_account uuid, p_env text, p_at timestamptz, p_n integer)
RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws(':', p_shard, p_id, p_account, p_env, (extract(epoch FROM p_at) * 1000)::bigint, p_n)
$$;
--> statement-breakpoint
-- As before, and it lowers the lane and names it to the dispatchers.
CREATE OR REPLACE FUNCTION create_schedule(
  p_account uuid, p_env text, p_id uuid, p_fire_at timestamptz, p_early boolean, p_early_default boolean,
  p_target_url text, p_origin text, p_method text, p_sealed bytea, p_payload_size integer,
  p_idempotency_key text, p_request_hash bytea, p_replay_of uuid, p_verdict text,
  p_quota integer, p_grace integer, p_notify_horizon_ms integer, p_key uuid DEFAULT NULL, p_plan text DEFAULT NULL,
  OUT outcome text, OUT id uuid, OUT fire_at timestamptz, OUT status text, OUT over_limit boolean, OUT mismatch boolean
) LANGUAGE plpgsql AS $$
DECLARE
  v_shard smallint;
  v_now timestamptz(3);
  v_period text;
  v_early boolean;
  v_used integer;
BEGIN
  SELECT f.refusal, f.shard INTO outcome, v_shard FROM find_creating_account(p_account, p_key, p_plan) f;
  IF outcome IS NOT NULL THEN
    RETURN;
  END IF;

  IF p_idempotency_key IS NOT NULL THEN
    SELECT f.* INTO outcome, id, fire_at, status, over_limit, mismatch
      FROM find_replayed_schedule(p_account, p_env, p_idempotency_key, p_request_hash, p_quota) f;
    IF outcome IS NOT NULL THEN
      RETURN;
    END IF;
  END IF;

  -- Rounded up, as every fire_at is, so that "now" is never before the clock that judges it.
  v_now := date_trunc('milliseconds', clock_timestamp() + interval '999 microseconds');
  IF p_fire_at IS NOT NULL AND p_fire_at <= clock_timestamp() THEN
    outcome := 'past';
    RETURN;
  END IF;
  IF p_verdict IS NOT NULL THEN
    outcome := 'verdict';
    RETURN;
  END IF;

  v_period := to_char(clock_timestamp() AT TIME ZONE 'utc', 'YYYYMM');
  INSERT INTO usage AS u (account_id, env, period, scheduled)
    SELECT p_account, p_env, v_period, 1 WHERE p_grace > 0
    ON CONFLICT (account_id, env, period) DO UPDATE SET scheduled = u.scheduled + 1 WHERE u.scheduled < p_grace
    RETURNING u.scheduled INTO v_used;
  IF v_used IS NULL THEN
    SELECT f.* INTO outcome, id, fire_at, status, over_limit, mismatch
      FROM find_replayed_schedule(p_account, p_env, p_idempotency_key, p_request_hash, p_quota) f;
    IF outcome IS NULL THEN
      outcome := 'quota';
    END IF;
    RETURN;
  END IF;

  INSERT INTO schedule_requests (
    schedule_id, account_id, env, target_url, method, sealed, idempotency_key, request_hash, replay_of, created_at)
  VALUES (p_id, p_account, p_env, p_target_url, p_method, p_sealed, p_idempotency_key, p_request_hash, p_replay_of, v_now)
  ON CONFLICT (account_id, env, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING;
  IF NOT FOUND THEN
    UPDATE usage u SET scheduled = u.scheduled - 1
      WHERE u.account_id = p_account AND u.env = p_env AND u.period = v_period;
    SELECT f.* INTO outcome, id, fire_at, status, over_limit, mismatch
      FROM find_replayed_schedule(p_account, p_env, p_idempotency_key, p_request_hash, p_quota) f;
    RETURN;
  END IF;

  v_early := coalesce(p_early, (SELECT r.early_fire FROM relay_settings r WHERE r.account_id = p_account), p_early_default);
  INSERT INTO schedules AS s (
    id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin,
    created_at, updated_at)
  VALUES (
    p_id, p_account, p_env, v_shard, v_early, coalesce(p_fire_at, v_now), coalesce(p_fire_at, v_now), p_payload_size,
    coalesce(octet_length(p_sealed), 0), p_origin, v_now, v_now)
  RETURNING s.fire_at INTO fire_at;

  -- The account is locked by an earlier statement, so that what is seen here is not raised before this commits.
  IF NOT EXISTS (SELECT FROM lanes l WHERE l.account_id = p_account AND l.env = p_env AND l.due_at <= fire_at) THEN
    PERFORM lower_lane(p_account, p_env, v_shard, fire_at);
  END IF;

  -- Only what the dispatchers' prefetch has already read past: NOTIFY takes one lock of the whole server at commit.
  IF fire_at <= clock_timestamp() + p_notify_horizon_ms * interval '1 millisecond' THEN
    PERFORM pg_notify('stopwatch_due', due_notice(v_shard, p_id, p_account, p_env, fire_at, 1));
  END IF;

  outcome := 'created';
  id := p_id;
  status := 'scheduled';
  over_limit := v_used > p_quota;
  mismatch := false;
END $$;
--> statement-breakpoint
DROP FUNCTION create_schedules(
  uuid, text, uuid, text, boolean, integer, integer, uuid[], timestamptz[], boolean[], text[], text[], text[], text[],
  integer[], integer[], text[], text[], uuid[], boolean[]);
--> statement-breakpoint
-- Creates many schedules of one account, each judged in its place as create_schedule does. No two of them may have the
-- same idempotency key. p_refused holds the caller's verdicts; p_sealed is base64 (null: nothing to seal), p_hashes too.
-- p_fire_ats null means now. Returns a row for each, n from 1; one row with n = 0 says that the account is inactive or what is remembered stale.
-- A transaction of several calls tells the last one what the others stored (p_stored), and those that they are not the
-- last.
-- Whoever creates holds the usage row from before its first insert: with it locked, no key of this month can appear any
-- more. One that appears around the turn of a month is a unique violation, or a deadlock: then all of it is to be tried
-- again. Texts are taken out of their arrays at the insert, so that no step before it copies them.
CREATE FUNCTION create_schedules(
  p_account uuid, p_env text, p_key uuid, p_plan text, p_early_default boolean, p_grace integer,
  p_notify_horizon_ms integer, p_ids uuid[], p_fire_ats timestamptz[], p_earlies boolean[], p_target_urls text[],
  p_origins text[], p_methods text[], p_sealed text[], p_sealed_sizes integer[], p_payload_sizes integer[], p_keys text[],
  p_hashes text[], p_replay_ofs uuid[], p_refused boolean[], p_stored uuid[] DEFAULT '{}', p_last boolean DEFAULT true
) RETURNS TABLE (n integer, outcome text, id uuid, fire_at timestamptz, status text)
-- A plan that was made while the tables were empty must not scan them once they are full.
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  v_refusal text;
  v_shard smallint;
  v_clock timestamptz;
  v_now timestamptz(3);
  v_period text;
  v_early boolean;
  v_used integer;
  v_first uuid;
  v_first_at timestamptz(3);
  v_soon integer;
BEGIN
  SELECT f.refusal, f.shard INTO v_refusal, v_shard FROM find_creating_account(p_account, p_key, p_plan) f;
  IF v_refusal IS NOT NULL THEN
    RETURN QUERY SELECT 0, v_refusal, NULL::uuid, NULL::timestamptz, NULL;
    RETURN;
  END IF;
  IF cardinality(p_ids) = 0 THEN
    RETURN;
  END IF;

  v_period := to_char(clock_timestamp() AT TIME ZONE 'utc', 'YYYYMM');
  INSERT INTO usage AS u (account_id, env, period, scheduled) VALUES (p_account, p_env, v_period, 0)
    ON CONFLICT (account_id, env, period) DO UPDATE SET scheduled = u.scheduled
    RETURNING u.scheduled INTO v_used;
  v_clock := clock_timestamp();
  v_now := date_trunc('milliseconds', v_clock + interval '999 microseconds');
  v_early := coalesce((SELECT r.early_fire FROM relay_settings r WHERE r.account_id = p_account), p_early_default);

  RETURN QUERY
  WITH found AS (
    SELECT i.n::integer AS n, coalesce(k.id, i.id) AS id, coalesce(k.fire_at, i.fire_at, v_now) AS fire_at, k.status,
      CASE WHEN k.id IS NOT NULL THEN 'replayed' WHEN i.fire_at <= v_clock THEN 'past' WHEN i.refused THEN 'verdict' END
        AS outcome
    FROM unnest(p_ids, p_fire_ats, p_keys, p_refused) WITH ORDINALITY AS i(id, fire_at, key, refused, n)
    LEFT JOIN LATERAL (
      SELECT s.id, s.fire_at, s.status FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
      WHERE r.account_id = p_account AND r.env = p_env AND r.idempotency_key = i.key LIMIT 1) k ON true
  ),
  judged AS MATERIALIZED (
    SELECT f.n, f.id, f.fire_at, coalesce(f.status, 'scheduled') AS status,
      CASE WHEN f.outcome IS NOT NULL THEN f.outcome
        WHEN count(*) FILTER (WHERE f.outcome IS NULL) OVER (ORDER BY f.n) <= p_grace - v_used THEN 'created'
        ELSE 'quota' END AS outcome
    FROM found f
  ),
  requests AS (
    INSERT INTO schedule_requests (
      schedule_id, account_id, env, target_url, method, sealed, idempotency_key, request_hash, replay_of,
      created_at)
    SELECT j.id, p_account, p_env, p_target_urls[j.n], p_methods[j.n], decode(p_sealed[j.n], 'base64'), p_keys[j.n],
      decode(p_hashes[j.n], 'base64'), p_replay_ofs[j.n], v_now
    FROM judged j WHERE j.outcome = 'created'
  ),
  stored AS (
    INSERT INTO schedules (
      id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin,
      created_at, updated_at)
    SELECT j.id, p_account, p_env, v_shard, coalesce(p_earlies[j.n], v_early), j.fire_at, j.fire_at,
      p_payload_sizes[j.n], p_sealed_sizes[j.n], p_origins[j.n], v_now, v_now
    FROM judged j WHERE j.outcome = 'created'
  ),
  counted AS (
    UPDATE usage u SET scheduled = u.scheduled + created.n
    FROM (SELECT count(*)::integer AS n FROM judged j WHERE j.outcome = 'created') created
    WHERE u.account_id = p_account AND u.env = p_env AND u.period = v_period AND created.n > 0
  )
  SELECT j.n, j.outcome, j.id, j.fire_at, j.status FROM judged j;

  IF NOT p_last THEN
    RETURN;
  END IF;
  -- The lane is lowered and the dispatchers are told once, for all slices: its row stays locked until the commit.
  SELECT (array_agg(s.id ORDER BY s.fire_at, s.id))[1], min(s.fire_at),
      count(*) FILTER (WHERE s.fire_at <= clock_timestamp() + p_notify_horizon_ms * interval '1 millisecond')
    INTO v_first, v_first_at, v_soon
    FROM unnest(p_stored || p_ids) AS i(id) JOIN schedules s ON s.id = i.id;
  IF NOT EXISTS (SELECT FROM lanes l WHERE l.account_id = p_account AND l.env = p_env AND l.due_at <= v_first_at) THEN
    PERFORM lower_lane(p_account, p_env, v_shard, v_first_at) WHERE v_first IS NOT NULL;
  END IF;
  IF v_soon > 0 THEN
    PERFORM pg_notify('stopwatch_due', due_notice(v_shard, v_first, p_account, p_env, v_first_at, v_soon));
  END IF;
END $$;
--> statement-breakpoint
-- What was created before: open schedules by the walk, and those that are firing, whose release lowers nothing.
DO $$
DECLARE
  v_step record;
BEGIN
  SELECT '00000000-0000-0000-0000-000000000000'::uuid AS next_account, '' AS next_env INTO v_step;
  WHILE v_step.next_account IS NOT NULL LOOP
    SELECT * INTO v_step FROM audit_lanes(v_step.next_account, v_step.next_env, 10000);
  END LOOP;
  PERFORM lower_lane(s.account_id, s.env, s.shard, min(s.next_attempt_at))
    FROM schedules s JOIN accounts a ON a.id = s.account_id WHERE s.status = 'firing' AND a.status = 'active'
    GROUP BY s.account_id, s.env, s.shard;
END $$;
