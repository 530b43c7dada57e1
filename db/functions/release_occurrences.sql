-- Decides on the held occurrences of recurrences that must not overlap, which are due within p_ahead_ms: one is released, or
-- cancelled and given back to the quota while an earlier occurrence is open. An occurrence is held by a next attempt at p_held,
-- so that nothing claims it before.
--
-- p_recurrences        the caller has locked their rows, and that of the account
-- p_notify_horizon_ms  as in create_schedule
--
-- Returns one row for each of p_recurrences: the instants that were skipped, and when the next held one fires, or null.
CREATE OR REPLACE FUNCTION release_occurrences(
  p_account uuid, p_env text, p_recurrences uuid[], p_held timestamptz, p_ahead_ms integer, p_notify_horizon_ms integer
) RETURNS TABLE (recurrence_id uuid, skipped timestamptz[], next_at timestamptz)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  v_due timestamptz := clock_timestamp() + p_ahead_ms * interval '1 millisecond';
  v_skipped uuid[];
  v_released uuid[];
BEGIN
  PERFORM lock_usage(p_account, p_env, to_char(clock_timestamp() AT TIME ZONE 'utc', 'YYYYMM'));

  WITH held AS MATERIALIZED (
    SELECT s.id, EXISTS (
      SELECT FROM schedule_requests e JOIN schedules o ON o.id = e.schedule_id
      WHERE e.account_id = p_account AND e.env = p_env AND e.recurrence_id = r.recurrence_id
        AND e.occurrence_at >= k.open_from AND e.occurrence_at < r.occurrence_at AND o.status IN ('scheduled', 'failed', 'firing')) AS overlaps
    FROM recurrences k
    JOIN schedule_requests r ON r.recurrence_id = k.id AND r.account_id = p_account AND r.env = p_env
      AND r.occurrence_at >= k.open_from
    JOIN schedules s ON s.id = r.schedule_id
    WHERE k.id = ANY (p_recurrences) AND s.status = 'scheduled' AND s.next_attempt_at = p_held AND s.fire_at <= v_due
    FOR UPDATE OF s
  ), cancelled AS (
    UPDATE schedules s SET status = 'cancelled', version = s.version + 1, next_attempt_at = NULL,
        ended_at = clock_timestamp(), updated_at = clock_timestamp()
      FROM held h WHERE s.id = h.id AND h.overlaps RETURNING s.id
  ), released AS (
    UPDATE schedules s SET version = s.version + 1, next_attempt_at = greatest(s.fire_at, clock_timestamp())
      FROM held h WHERE s.id = h.id AND NOT h.overlaps RETURNING s.id
  )
  SELECT coalesce(array_agg(d.id) FILTER (WHERE d.is_skipped), '{}'), array_agg(d.id) FILTER (WHERE NOT d.is_skipped)
    INTO v_skipped, v_released
    FROM (SELECT id, true AS is_skipped FROM cancelled UNION ALL SELECT id, false FROM released) d;
  -- By a statement of its own: a part of a query that nothing reads is not run.
  PERFORM pg_notify(due_channel(), due_notice(s.shard, s.id, p_account, p_env, s.next_attempt_at, 1)) FROM schedules s
    WHERE s.id = ANY (v_released) AND s.next_attempt_at <= clock_timestamp() + p_notify_horizon_ms * interval '1 millisecond';
  PERFORM give_back_usage(p_account, p_env, v_skipped);

  RETURN QUERY
  SELECT k.id,
    ARRAY(
      SELECT r.occurrence_at FROM schedule_requests r
      WHERE r.schedule_id = ANY (v_skipped) AND r.recurrence_id = k.id ORDER BY r.occurrence_at)::timestamptz[],
    (SELECT min(s.fire_at) FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
      WHERE r.account_id = p_account AND r.env = p_env AND r.recurrence_id = k.id AND r.occurrence_at >= k.open_from
        AND s.status = 'scheduled' AND s.next_attempt_at = p_held)::timestamptz
  FROM recurrences k WHERE k.id = ANY (p_recurrences);
END $$;
