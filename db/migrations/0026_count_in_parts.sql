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
--> statement-breakpoint
-- Stores that a lane has created p_used schedules in the month p_period, and returns p_used. p_part is the part of its row until
-- now, null when there is none; the caller has called lock_usage.
--
-- The row gets another key after each 128 schedules. While a held snapshot keeps all its versions, whoever reads the highest
-- part passes no more than these.
CREATE OR REPLACE FUNCTION count_usage(p_account uuid, p_env text, p_period text, p_part integer, p_used integer)
RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  IF p_part = p_used / 128 THEN
    UPDATE usage u SET scheduled = p_used
      WHERE u.account_id = p_account AND u.env = p_env AND u.period = p_period AND u.part = p_part;
  ELSE
    DELETE FROM usage u WHERE u.account_id = p_account AND u.env = p_env AND u.period = p_period AND u.part = p_part;
    INSERT INTO usage (account_id, env, period, part, scheduled) VALUES (p_account, p_env, p_period, p_used / 128, p_used);
  END IF;
  RETURN p_used;
END $$;
--> statement-breakpoint
-- The schedule that holds an idempotency key, as the answer that a repeated create gets. No row when the key is free.
-- mismatch: the stored request differs from this one, whose hash is p_request_hash. over_limit: the month has more than
-- p_quota schedules.
CREATE OR REPLACE FUNCTION find_replayed_schedule(
  p_account uuid, p_env text, p_idempotency_key text, p_request_hash bytea, p_quota integer
) RETURNS TABLE (outcome text, id uuid, fire_at timestamptz, status text, over_limit boolean, mismatch boolean)
LANGUAGE sql STABLE AS $$
  SELECT 'replayed', s.id, s.fire_at, s.status,
    coalesce((SELECT u.scheduled > p_quota FROM usage u WHERE u.account_id = p_account AND u.env = p_env
      AND u.period = to_char(clock_timestamp() AT TIME ZONE 'utc', 'YYYYMM') ORDER BY u.part DESC LIMIT 1), false),
    r.request_hash <> p_request_hash
  FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
  WHERE r.account_id = p_account AND r.env = p_env AND r.idempotency_key = p_idempotency_key
$$;
--> statement-breakpoint
-- Creates one schedule, or says why not. The checks run in this order, and the first that applies decides: the account
-- may create (find_creating_account), the idempotency key is free, the time is in the future, the caller's rejection,
-- the quota.
--
-- p_fire_at            null means p_fire_in_ms from now, where null is 0
-- p_early              whether to fire early; null takes the account's setting, or p_early_default where there is none
-- p_sealed             sealed headers and payload; null when there are none
-- p_request_hash       keyed hash of the request; compared with the stored one when the idempotency key is known
-- p_rejection          what the caller found wrong (an error code), or null
-- p_quota              schedules a month above which over_limit is true
-- p_grace              schedules a month above which nothing is created
-- p_notify_horizon_ms  dispatchers are notified of a schedule that is due within this
-- p_key, p_plan        the cached credential: API key (null: none) and plan, checked here; null when nothing is cached
-- p_created_by         the API key that creates it, or the nil UUID for a session
--
-- outcome is one of: created, replayed (the idempotency key is known; mismatch: with another request), inactive, stale
-- (the cached credential no longer holds), past, rejected, quota. All other columns are null unless created or replayed.
--
-- plpgsql and not one CTE, because each of its statements takes a new snapshot: a row that another transaction
-- committed while this one waited for lock_usage must be seen.
CREATE OR REPLACE FUNCTION create_schedule(
  p_account uuid, p_env text, p_id uuid, p_fire_at timestamptz, p_fire_in_ms bigint, p_early boolean,
  p_early_default boolean, p_target_url text, p_origin text, p_method text, p_sealed bytea,
  p_payload_size integer, p_idempotency_key text, p_request_hash bytea, p_replay_of uuid, p_rejection text,
  p_quota integer, p_grace integer, p_notify_horizon_ms integer, p_key uuid, p_plan text,
  p_created_by uuid DEFAULT NULL,
  OUT outcome text, OUT id uuid, OUT fire_at timestamptz, OUT status text, OUT over_limit boolean, OUT mismatch boolean
) LANGUAGE plpgsql AS $$
DECLARE
  v_shard smallint;
  v_now timestamptz(3);
  v_period text;
  v_fire_at timestamptz(3);
  v_early boolean;
  v_used integer;
  v_part integer;
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

  -- Rounded up to whole milliseconds, as every fire_at is: "now" must not come out earlier than the clock.
  v_now := date_trunc('milliseconds', clock_timestamp() + interval '999 microseconds');
  IF p_fire_at <= clock_timestamp() THEN
    outcome := 'past';
    RETURN;
  END IF;
  IF p_rejection IS NOT NULL THEN
    outcome := 'rejected';
    RETURN;
  END IF;

  v_period := to_char(clock_timestamp() AT TIME ZONE 'utc', 'YYYYMM');
  SELECT u.used, u.part INTO v_used, v_part FROM lock_usage(p_account, p_env, v_period) u;
  IF v_used >= p_grace THEN
    SELECT f.* INTO outcome, id, fire_at, status, over_limit, mismatch
      FROM find_replayed_schedule(p_account, p_env, p_idempotency_key, p_request_hash, p_quota) f;
    IF outcome IS NULL THEN
      outcome := 'quota';
    END IF;
    RETURN;
  END IF;

  INSERT INTO schedule_requests (
    schedule_id, account_id, env, target_url, method, sealed, idempotency_key, request_hash, replay_of, created_by,
    created_at)
  VALUES (
    p_id, p_account, p_env, p_target_url, p_method, p_sealed, p_idempotency_key, p_request_hash, p_replay_of, p_created_by,
    v_now)
  ON CONFLICT (account_id, env, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING;
  IF NOT FOUND THEN
    SELECT f.* INTO outcome, id, fire_at, status, over_limit, mismatch
      FROM find_replayed_schedule(p_account, p_env, p_idempotency_key, p_request_hash, p_quota) f;
    RETURN;
  END IF;

  v_used := count_usage(p_account, p_env, v_period, v_part, v_used + 1);
  v_fire_at := coalesce(p_fire_at, v_now + coalesce(p_fire_in_ms, 0) * interval '1 millisecond');
  v_early := coalesce(p_early, (SELECT r.early_fire FROM relay_settings r WHERE r.account_id = p_account), p_early_default);
  INSERT INTO schedules (
    id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin,
    created_at, updated_at)
  VALUES (
    p_id, p_account, p_env, v_shard, v_early, v_fire_at, v_fire_at, p_payload_size,
    coalesce(octet_length(p_sealed), 0), p_origin, v_now, v_now);

  -- raise_lanes needs the account's row, which an earlier statement has locked: what is read here holds until the commit.
  IF NOT EXISTS (SELECT FROM lanes l WHERE l.account_id = p_account AND l.env = p_env AND l.due_at <= v_fire_at) THEN
    PERFORM lower_lane(p_account, p_env, v_shard, v_fire_at);
  END IF;

  -- Only for what the dispatchers may have read past already: NOTIFY takes a lock of the whole server at commit.
  IF v_fire_at <= clock_timestamp() + p_notify_horizon_ms * interval '1 millisecond' THEN
    PERFORM pg_notify(due_channel(), due_notice(v_shard, p_id, p_account, p_env, v_fire_at, 1));
  END IF;

  outcome := 'created';
  id := p_id;
  fire_at := v_fire_at;
  status := 'scheduled';
  over_limit := v_used > p_quota;
  mismatch := false;
END $$;
--> statement-breakpoint
-- Creates many schedules of one account, each by the same checks and in the same order as create_schedule. The arrays
-- have one element for each. No two of them may have the same idempotency key.
--
-- p_fire_ats       null means p_fire_ins (ms) from now, where null is 0
-- p_contents       the sealed contents, one after the other. In an array, each would be unescaped byte by byte
-- p_sealed_sizes   bytes of each; 0 when there is nothing to seal
-- p_hashes         base64
-- p_rejected       whether the caller rejects the request, for which create_schedule has p_rejection
-- p_stored, p_last a transaction may call this several times, for slices of one list. The last call lowers the lane and
--                  notifies the dispatchers for all of them: p_stored has the ids that the other calls created
-- p_operation      the operation whose copies they are, or null
-- p_created_by     as in create_schedule
--
-- Returns one row for each schedule, numbered by n from 1. One row with n = 0 means that nothing was created: the
-- account is inactive, or the cached credential (p_key, p_plan) is stale.
--
-- Every create calls lock_usage before its first insert. While this function has that lock, no idempotency key of the lane
-- can appear. Texts are taken from their arrays only at the insert, so that no step before it copies them.
CREATE OR REPLACE FUNCTION create_schedules(
  p_account uuid, p_env text, p_key uuid, p_plan text, p_early_default boolean, p_grace integer,
  p_notify_horizon_ms integer, p_ids uuid[], p_fire_ats timestamptz[], p_fire_ins bigint[], p_earlies boolean[],
  p_target_urls text[], p_origins text[], p_methods text[], p_contents bytea, p_sealed_sizes integer[],
  p_payload_sizes integer[], p_keys text[], p_hashes text[], p_replay_ofs uuid[], p_rejected boolean[], p_stored uuid[],
  p_last boolean, p_operation uuid DEFAULT NULL, p_created_by uuid DEFAULT NULL
) RETURNS TABLE (n integer, outcome text, id uuid, fire_at timestamptz, status text)
-- A plan that was made while the tables were empty must not scan them when they are full.
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
  v_part integer;
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
  SELECT u.used, u.part INTO v_used, v_part FROM lock_usage(p_account, p_env, v_period) u;
  v_clock := clock_timestamp();
  v_now := date_trunc('milliseconds', v_clock + interval '999 microseconds');
  v_early := coalesce((SELECT r.early_fire FROM relay_settings r WHERE r.account_id = p_account), p_early_default);

  RETURN QUERY
  WITH found AS (
    SELECT i.n::integer AS n, coalesce(k.id, i.id) AS id, k.status,
      coalesce(k.fire_at, i.fire_at, v_now + coalesce(i.fire_in, 0) * interval '1 millisecond') AS fire_at,
      CASE WHEN k.id IS NOT NULL THEN 'replayed' WHEN i.fire_at <= v_clock THEN 'past' WHEN i.rejected THEN 'rejected' END
        AS outcome, i.size
    FROM unnest(p_ids, p_fire_ats, p_fire_ins, p_keys, p_rejected, p_sealed_sizes) WITH ORDINALITY
      AS i(id, fire_at, fire_in, key, rejected, size, n)
    LEFT JOIN LATERAL (
      SELECT s.id, s.fire_at, s.status FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
      WHERE r.account_id = p_account AND r.env = p_env AND r.idempotency_key = i.key LIMIT 1) k ON true
  ),
  judged AS MATERIALIZED (
    SELECT f.n, f.id, f.fire_at, coalesce(f.status, 'scheduled') AS status,
      CASE WHEN f.outcome IS NOT NULL THEN f.outcome
        WHEN count(*) FILTER (WHERE f.outcome IS NULL) OVER (ORDER BY f.n) <= p_grace - v_used THEN 'created'
        ELSE 'quota' END AS outcome,
      f.size, (sum(f.size) OVER (ORDER BY f.n))::integer AS sealed_end
    FROM found f
  ),
  requests AS (
    INSERT INTO schedule_requests (
      schedule_id, account_id, env, target_url, method, sealed, idempotency_key, request_hash, replay_of,
      operation_id, created_by, created_at)
    SELECT j.id, p_account, p_env, p_target_urls[j.n], p_methods[j.n],
      CASE WHEN j.size > 0 THEN substring(p_contents FROM j.sealed_end - j.size + 1 FOR j.size) END,
      p_keys[j.n], decode(p_hashes[j.n], 'base64'), p_replay_ofs[j.n],
      p_operation, p_created_by, v_now
    FROM judged j WHERE j.outcome = 'created'
  ),
  stored AS (
    INSERT INTO schedules (
      id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin,
      created_at, updated_at)
    SELECT j.id, p_account, p_env, v_shard, coalesce(p_earlies[j.n], v_early), j.fire_at, j.fire_at,
      p_payload_sizes[j.n], j.size, p_origins[j.n], v_now, v_now
    FROM judged j WHERE j.outcome = 'created'
  ),
  counted AS MATERIALIZED (
    SELECT count_usage(p_account, p_env, v_period, v_part, v_used + created.n)
    FROM (SELECT count(*)::integer AS n FROM judged j WHERE j.outcome = 'created') created WHERE created.n > 0
  )
  SELECT j.n, j.outcome, j.id, j.fire_at, j.status FROM judged j LEFT JOIN counted ON true;

  IF NOT p_last THEN
    RETURN;
  END IF;
  -- Once for all slices: the row of the lane stays locked until the commit.
  SELECT (array_agg(s.id ORDER BY s.fire_at, s.id))[1], min(s.fire_at),
      count(*) FILTER (WHERE s.fire_at <= clock_timestamp() + p_notify_horizon_ms * interval '1 millisecond')
    INTO v_first, v_first_at, v_soon
    FROM unnest(p_stored || p_ids) AS i(id) JOIN schedules s ON s.id = i.id;
  IF NOT EXISTS (SELECT FROM lanes l WHERE l.account_id = p_account AND l.env = p_env AND l.due_at <= v_first_at) THEN
    PERFORM lower_lane(p_account, p_env, v_shard, v_first_at) WHERE v_first IS NOT NULL;
  END IF;
  IF v_soon > 0 THEN
    PERFORM pg_notify(due_channel(), due_notice(v_shard, v_first, p_account, p_env, v_first_at, v_soon));
  END IF;
END $$;
