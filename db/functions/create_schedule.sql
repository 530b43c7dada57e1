-- Creates one schedule, or says why not. The checks run in this order, and the first that applies decides: the account
-- may create (find_creating_account), the idempotency key is free, the time is in the future and before the schedule
-- expires, the caller's rejection, the quota.
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
-- p_delivery           its delivery options, for resolve_delivery; null without any
-- p_is_counted         whether it counts in the quota, and needs room in it
--
-- outcome is one of: created, replayed (the idempotency key is known; mismatch: with another request), inactive, stale
-- (the cached credential no longer holds), past, expired (it would be so before its time), rejected, quota. All other
-- columns are null unless created or replayed.
--
-- plpgsql and not one CTE, because each of its statements takes a new snapshot: a row that another transaction
-- committed while this one waited for lock_usage must be seen.
CREATE OR REPLACE FUNCTION create_schedule(
  p_account uuid, p_env text, p_id uuid, p_fire_at timestamptz, p_fire_in_ms bigint, p_early boolean,
  p_early_default boolean, p_target_url text, p_origin text, p_method text, p_sealed bytea,
  p_payload_size integer, p_idempotency_key text, p_request_hash bytea, p_replay_of uuid, p_rejection text,
  p_quota integer, p_grace integer, p_notify_horizon_ms integer, p_key uuid, p_plan text,
  p_created_by uuid DEFAULT NULL, p_delivery jsonb DEFAULT NULL, p_is_counted boolean DEFAULT true,
  OUT outcome text, OUT id uuid, OUT fire_at timestamptz, OUT status text, OUT over_limit boolean, OUT mismatch boolean
) LANGUAGE plpgsql AS $$
DECLARE
  v_shard smallint;
  v_now timestamptz(3);
  v_period text;
  v_fire_at timestamptz(3);
  v_delivery jsonb;
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
  v_fire_at := coalesce(p_fire_at, v_now + coalesce(p_fire_in_ms, 0) * interval '1 millisecond');
  IF p_delivery IS NOT NULL THEN
    v_delivery := resolve_delivery(p_delivery, v_fire_at);
    IF expires_at(v_delivery) <= v_fire_at THEN
      outcome := 'expired';
      RETURN;
    END IF;
  END IF;
  IF p_rejection IS NOT NULL THEN
    outcome := 'rejected';
    RETURN;
  END IF;

  v_period := to_char(clock_timestamp() AT TIME ZONE 'utc', 'YYYYMM');
  SELECT u.used, u.part INTO v_used, v_part FROM lock_usage(p_account, p_env, v_period) u;
  IF p_is_counted AND v_used >= p_grace THEN
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

  IF p_is_counted THEN
    v_used := count_usage(p_account, p_env, v_period, v_part, v_used + 1);
  END IF;
  v_early := coalesce(p_early, (SELECT r.early_fire FROM relay_settings r WHERE r.account_id = p_account), p_early_default);
  INSERT INTO schedules (
    id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin,
    created_at, updated_at, delivery)
  VALUES (
    p_id, p_account, p_env, v_shard, v_early, v_fire_at, v_fire_at, p_payload_size,
    coalesce(octet_length(p_sealed), 0), p_origin, v_now, v_now, v_delivery);

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
