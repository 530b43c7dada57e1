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
