DROP FUNCTION create_schedule(
  uuid, text, uuid, timestamptz, boolean, boolean, text, text, text, bytea, integer, text, bytea, uuid, text, integer,
  integer, integer);
--> statement-breakpoint
-- Creates one schedule: known idempotency key, time, verdict of the caller, quota, insert, in that order.
-- plpgsql and not one CTE, because each statement in it takes a new snapshot: a row that another transaction
-- committed while this one waited for the usage row must be seen.
-- p_verdict is the caller's finding (an error code): it counts only when nothing before it does.
-- p_fire_at null means now. p_key and p_plan are what a caller that did not look remembers of its credential.
-- Outcomes: created, replayed, inactive, stale, past, verdict, quota.
CREATE FUNCTION create_schedule(
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

  -- Only what the dispatchers' prefetch has already read past: NOTIFY takes one lock of the whole server at commit.
  IF fire_at <= clock_timestamp() + p_notify_horizon_ms * interval '1 millisecond' THEN
    PERFORM pg_notify('stopwatch_due', v_shard || ':' || p_id);
  END IF;

  outcome := 'created';
  id := p_id;
  status := 'scheduled';
  over_limit := v_used > p_quota;
  mismatch := false;
END $$;
--> statement-breakpoint
-- The shard of an account that may create, or why it may not: inactive, or stale when the key that the caller remembers
-- (null: none) was revoked or the plan is not the one it remembers.
-- FOR SHARE: an account that is being deactivated or deleted is waited for, so that no create slips past it.
CREATE FUNCTION find_creating_account(p_account uuid, p_key uuid, p_plan text, OUT refusal text, OUT shard smallint)
LANGUAGE plpgsql AS $$
DECLARE
  v_plan text;
BEGIN
  SELECT a.shard, a.plan INTO shard, v_plan FROM accounts a WHERE a.id = p_account AND a.status = 'active' FOR SHARE;
  IF NOT FOUND THEN
    refusal := 'inactive';
  ELSIF p_plan <> v_plan
    OR p_key IS NOT NULL AND NOT EXISTS (SELECT FROM api_keys k WHERE k.id = p_key AND k.revoked_at IS NULL) THEN
    refusal := 'stale';
  END IF;
END $$;
--> statement-breakpoint
-- Creates many schedules of one account, each judged in its place as create_schedule does. No two of them may have the
-- same idempotency key. p_refused holds the caller's verdicts; p_sealed is base64 (null: nothing to seal), p_hashes too.
-- p_fire_ats null means now. Returns a row for each, n from 1; one row with n = 0 says that the account is inactive or what is remembered stale.
-- Whoever creates holds the usage row from before its first insert: with it locked, no key of this month can appear any
-- more. One that appears around the turn of a month is a unique violation, or a deadlock: then all of it is to be tried
-- again. Texts are taken out of their arrays at the insert, so that no step before it copies them.
CREATE FUNCTION create_schedules(
  p_account uuid, p_env text, p_key uuid, p_plan text, p_early_default boolean, p_grace integer,
  p_notify_horizon_ms integer, p_ids uuid[], p_fire_ats timestamptz[], p_earlies boolean[], p_target_urls text[],
  p_origins text[], p_methods text[], p_sealed text[], p_sealed_sizes integer[], p_payload_sizes integer[], p_keys text[],
  p_hashes text[], p_replay_ofs uuid[], p_refused boolean[]
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

  -- One notice for all: one that is due soon is named, of several their shard is.
  PERFORM pg_notify('stopwatch_due', CASE WHEN count(*) = 1 THEN v_shard || ':' || min(s.id::text) ELSE v_shard::text END)
    FROM unnest(p_ids) AS i(id) JOIN schedules s ON s.id = i.id
    WHERE s.fire_at <= clock_timestamp() + p_notify_horizon_ms * interval '1 millisecond'
    HAVING count(*) > 0;
END $$;
