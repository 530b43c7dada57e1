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
-- p_deliveries     the delivery options of each, as in create_schedule; null when none has any
-- p_recurrences, p_occurrence_ats  the recurrence that each is an occurrence of, and its instant there; null for others.
--                  One whose time has passed is created all the same, due now
-- p_are_counted    whether each counts in the quota, and needs room in it; null when all do
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
  p_last boolean, p_operation uuid DEFAULT NULL, p_created_by uuid DEFAULT NULL, p_deliveries jsonb[] DEFAULT NULL,
  p_recurrences uuid[] DEFAULT NULL, p_occurrence_ats timestamptz[] DEFAULT NULL, p_are_counted boolean[] DEFAULT NULL
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
      CASE WHEN k.id IS NOT NULL THEN 'replayed' WHEN i.fire_at <= v_clock AND p_recurrences IS NULL THEN 'past'
        WHEN p_deliveries[i.n] ? 'expiresAtMs' AND expires_at(p_deliveries[i.n])
          <= coalesce(i.fire_at, v_now + coalesce(i.fire_in, 0) * interval '1 millisecond') THEN 'expired'
        WHEN i.rejected THEN 'rejected' END AS outcome, i.size, coalesce(p_are_counted[i.n], true) AS is_counted
    FROM unnest(p_ids, p_fire_ats, p_fire_ins, p_keys, p_rejected, p_sealed_sizes) WITH ORDINALITY
      AS i(id, fire_at, fire_in, key, rejected, size, n)
    LEFT JOIN LATERAL (
      SELECT s.id, s.fire_at, s.status FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
      WHERE r.account_id = p_account AND r.env = p_env AND r.idempotency_key = i.key LIMIT 1) k ON true
  ),
  judged AS MATERIALIZED (
    SELECT f.n, f.id, f.fire_at, coalesce(f.status, 'scheduled') AS status,
      CASE WHEN f.outcome IS NOT NULL THEN f.outcome WHEN NOT f.is_counted THEN 'created'
        WHEN count(*) FILTER (WHERE f.outcome IS NULL AND f.is_counted) OVER (ORDER BY f.n) <= p_grace - v_used
          THEN 'created'
        ELSE 'quota' END AS outcome,
      f.is_counted, f.size, (sum(f.size) OVER (ORDER BY f.n))::integer AS sealed_end
    FROM found f
  ),
  requests AS (
    INSERT INTO schedule_requests (
      schedule_id, account_id, env, target_url, method, sealed, idempotency_key, request_hash, replay_of,
      operation_id, recurrence_id, occurrence_at, created_by, created_at)
    SELECT j.id, p_account, p_env, p_target_urls[j.n], p_methods[j.n],
      CASE WHEN j.size > 0 THEN substring(p_contents FROM j.sealed_end - j.size + 1 FOR j.size) END,
      p_keys[j.n], decode(p_hashes[j.n], 'base64'), p_replay_ofs[j.n],
      p_operation, p_recurrences[j.n], p_occurrence_ats[j.n], p_created_by, v_now
    FROM judged j WHERE j.outcome = 'created'
  ),
  stored AS (
    INSERT INTO schedules (
      id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin,
      created_at, updated_at, delivery)
    SELECT j.id, p_account, p_env, v_shard, coalesce(p_earlies[j.n], v_early), j.fire_at,
      CASE WHEN p_recurrences IS NULL THEN j.fire_at ELSE greatest(j.fire_at, v_now) END,
      p_payload_sizes[j.n], j.size, p_origins[j.n], v_now, v_now, resolve_delivery(p_deliveries[j.n], j.fire_at)
    FROM judged j WHERE j.outcome = 'created'
  ),
  counted AS MATERIALIZED (
    SELECT count_usage(p_account, p_env, v_period, v_part, v_used + created.n)
    FROM (SELECT count(*)::integer AS n FROM judged j WHERE j.outcome = 'created' AND j.is_counted) created
    WHERE created.n > 0
  )
  SELECT j.n, j.outcome, j.id, j.fire_at, j.status FROM judged j LEFT JOIN counted ON true;

  IF NOT p_last THEN
    RETURN;
  END IF;
  -- Once for all slices: the row of the lane stays locked until the commit.
  SELECT (array_agg(s.id ORDER BY s.next_attempt_at, s.id))[1], min(s.next_attempt_at),
      count(*) FILTER (WHERE s.next_attempt_at <= clock_timestamp() + p_notify_horizon_ms * interval '1 millisecond')
    INTO v_first, v_first_at, v_soon
    FROM unnest(p_stored || p_ids) AS i(id) JOIN schedules s ON s.id = i.id;
  IF NOT EXISTS (SELECT FROM lanes l WHERE l.account_id = p_account AND l.env = p_env AND l.due_at <= v_first_at) THEN
    PERFORM lower_lane(p_account, p_env, v_shard, v_first_at) WHERE v_first IS NOT NULL;
  END IF;
  IF v_soon > 0 THEN
    PERFORM pg_notify(due_channel(), due_notice(v_shard, v_first, p_account, p_env, v_first_at, v_soon));
  END IF;
END $$;
