-- Stores a schedule under an idempotency key that may be in use. The checks run in the order of create_schedule.
--
-- p_holder        the schedule that the caller has seen to have the key; null: none
-- p_id            p_holder, to change that schedule while it is scheduled; otherwise a new id. A new schedule takes the key
--                 of one that has ended, and of one that is failed, which is cancelled
-- p_max_delay_ms  with p_fire_in_ms: the time is at most this long after the creation of the schedule; null: no bound
-- All others are those of create_schedule.
--
-- outcome is one of: created, changed (in place), firing (nothing was changed; ends_at is when its attempt ends at the
-- latest), moved (nothing was changed: the key has another holder by now, or p_holder another status; look again),
-- inactive, stale, past, expired, rejected, quota. replaces is the schedule that has lost the key.
--
-- plpgsql, because each of its statements takes a new snapshot: what is read after a lock is as the lock found it.
CREATE OR REPLACE FUNCTION put_schedule(
  p_account uuid, p_env text, p_holder uuid, p_id uuid, p_fire_at timestamptz, p_fire_in_ms bigint, p_max_delay_ms bigint,
  p_early boolean, p_early_default boolean, p_target_url text, p_origin text, p_method text, p_sealed bytea,
  p_payload_size integer, p_idempotency_key text, p_request_hash bytea, p_rejection text, p_quota integer,
  p_grace integer, p_notify_horizon_ms integer, p_key uuid, p_plan text, p_created_by uuid, p_delivery jsonb DEFAULT NULL,
  OUT outcome text, OUT id uuid, OUT fire_at timestamptz, OUT status text, OUT over_limit boolean, OUT replaces uuid,
  OUT ends_at timestamptz
) LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz(3);
  v_fire_at timestamptz(3);
  v_created_at timestamptz(3);
  v_delivery jsonb;
  v_shard smallint;
BEGIN
  SELECT f.refusal INTO outcome FROM find_creating_account(p_account, p_key, p_plan) f;
  IF outcome IS NOT NULL THEN
    RETURN;
  END IF;

  IF p_id IS DISTINCT FROM p_holder THEN
    -- Before any row is locked: a create that has this lock waits for the row whose key it inserts.
    PERFORM lock_usage(p_account, p_env, to_char(clock_timestamp() AT TIME ZONE 'utc', 'YYYYMM'));
  END IF;

  IF p_holder IS NOT NULL THEN
    SELECT s.status, s.created_at, s.shard, s.claim_deadline INTO status, v_created_at, v_shard, ends_at
      FROM schedules s WHERE s.id = p_holder AND s.account_id = p_account AND s.env = p_env FOR UPDATE;
    PERFORM FROM schedule_requests r WHERE r.schedule_id = p_holder AND r.idempotency_key = p_idempotency_key FOR UPDATE;
    IF NOT FOUND THEN
      outcome := 'moved';
    ELSIF status = 'firing' THEN
      outcome := 'firing';
    ELSIF (status = 'scheduled') <> (p_id = p_holder) THEN
      outcome := 'moved';
    END IF;
    IF outcome IS NOT NULL THEN
      RETURN;
    END IF;
  END IF;

  IF p_id IS DISTINCT FROM p_holder THEN
    BEGIN
      UPDATE schedules s SET status = 'cancelled', version = s.version + 1, next_attempt_at = NULL,
          ended_at = clock_timestamp(), updated_at = clock_timestamp()
        WHERE s.id = p_holder AND s.status = 'failed';
      UPDATE schedule_requests r SET idempotency_key = NULL WHERE r.schedule_id = p_holder;
      SELECT c.outcome, c.id, c.fire_at, c.status, c.over_limit INTO outcome, id, fire_at, status, over_limit
        FROM create_schedule(
          p_account, p_env, p_id, p_fire_at, least(p_fire_in_ms, p_max_delay_ms), p_early, p_early_default, p_target_url,
          p_origin, p_method, p_sealed, p_payload_size, p_idempotency_key, p_request_hash, NULL, p_rejection, p_quota,
          p_grace, p_notify_horizon_ms, NULL, NULL, p_created_by, p_delivery) c;
      replaces := p_holder;
      -- Undoes this block, and leaves the variables.
      IF outcome <> 'created' THEN
        RAISE SQLSTATE 'SW001';
      END IF;
    EXCEPTION WHEN SQLSTATE 'SW001' THEN
      outcome := CASE outcome WHEN 'replayed' THEN 'moved' ELSE outcome END;
    END;
    RETURN;
  END IF;

  IF p_fire_at <= clock_timestamp() THEN
    outcome := 'past';
    RETURN;
  END IF;
  v_now := date_trunc('milliseconds', clock_timestamp() + interval '999 microseconds');
  v_fire_at := coalesce(p_fire_at, greatest(v_now, least(
    v_now + p_fire_in_ms * interval '1 millisecond', v_created_at + p_max_delay_ms * interval '1 millisecond')));
  v_delivery := resolve_delivery(p_delivery, v_fire_at);
  IF expires_at(v_delivery) <= v_fire_at THEN
    outcome := 'expired';
    RETURN;
  END IF;
  IF p_rejection IS NOT NULL THEN
    outcome := 'rejected';
    RETURN;
  END IF;

  UPDATE schedule_requests r SET target_url = p_target_url, method = p_method, sealed = p_sealed,
      request_hash = p_request_hash, replay_of = NULL
    WHERE r.schedule_id = p_holder;
  UPDATE schedules s SET version = s.version + 1, fire_at = v_fire_at, next_attempt_at = v_fire_at,
      early_fire = coalesce(
        p_early, (SELECT l.early_fire FROM relay_settings l WHERE l.account_id = p_account), p_early_default),
      moved_to_now_at = CASE WHEN v_fire_at = v_now THEN v_now END, payload_size_bytes = p_payload_size,
      sealed_bytes = coalesce(octet_length(p_sealed), 0), origin = p_origin, delivery = v_delivery,
      updated_at = clock_timestamp()
    WHERE s.id = p_holder;
  IF v_fire_at <= clock_timestamp() + p_notify_horizon_ms * interval '1 millisecond' THEN
    PERFORM pg_notify(due_channel(), due_notice(v_shard, p_holder, p_account, p_env, v_fire_at, 1));
  END IF;

  outcome := 'changed';
  id := p_holder;
  fire_at := v_fire_at;
  SELECT f.over_limit INTO over_limit
    FROM find_replayed_schedule(p_account, p_env, p_idempotency_key, p_request_hash, p_quota) f;
END $$;
