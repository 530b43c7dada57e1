-- Cancels the occurrences of a recurrence that are open and not being sent. Those that have not left are given back to the quota of
-- the month in which they were created, and their idempotency keys become free, so that the same instants can be made again.
-- Those that wait for a retry have been sent, and keep their keys.
--
-- p_recurrence  the caller has locked its row
-- p_from        only occurrences of this instant and later ones; null: all
--
-- taken is how many were cancelled; in_flight is how many are being sent and may still arrive. first_unsent is the earliest
-- instant of those that had not left, or null.
--
-- plpgsql, because each of its statements takes a new snapshot: what lock_usage has waited for is seen.
CREATE OR REPLACE FUNCTION take_back_occurrences(
  p_account uuid, p_env text, p_recurrence uuid, p_from timestamptz DEFAULT NULL, OUT taken integer, OUT in_flight integer,
  OUT first_unsent timestamptz
) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_from timestamptz := (SELECT r.open_from FROM recurrences r WHERE r.id = p_recurrence);
  v_unsent uuid[];
BEGIN
  -- In the order of every create: account, count of the lane, rows.
  PERFORM FROM accounts a WHERE a.id = p_account FOR SHARE;
  PERFORM lock_usage(p_account, p_env, to_char(clock_timestamp() AT TIME ZONE 'utc', 'YYYYMM'));

  WITH made AS MATERIALIZED (
    SELECT r.schedule_id, r.occurrence_at FROM schedule_requests r
    WHERE r.account_id = p_account AND r.env = p_env AND r.recurrence_id = p_recurrence
      AND r.occurrence_at >= greatest(v_from, p_from)
  ), locked AS MATERIALIZED (
    -- Others lock rows in this order, too.
    SELECT s.id, m.occurrence_at FROM made m JOIN schedules s ON s.id = m.schedule_id
    WHERE s.status IN ('scheduled', 'failed') ORDER BY s.id FOR UPDATE OF s
  ), cancelled AS (
    UPDATE schedules s SET status = 'cancelled', version = s.version + 1, next_attempt_at = NULL,
        ended_at = clock_timestamp(), updated_at = clock_timestamp()
      FROM locked l WHERE s.id = l.id
      -- What is scheduled is untried, by a check.
      RETURNING s.id, l.occurrence_at, s.attempts = 0 AS is_unsent
  )
  SELECT coalesce(array_agg(c.id) FILTER (WHERE c.is_unsent), '{}'), count(*)::integer,
      min(c.occurrence_at) FILTER (WHERE c.is_unsent)
    INTO v_unsent, taken, first_unsent FROM cancelled c;
  UPDATE schedule_requests r SET idempotency_key = NULL WHERE r.schedule_id = ANY (v_unsent);

  PERFORM give_back_usage(p_account, p_env, v_unsent);

  SELECT count(*)::integer INTO in_flight
    FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
    WHERE r.account_id = p_account AND r.env = p_env AND r.recurrence_id = p_recurrence AND r.occurrence_at >= v_from
      AND s.status = 'firing';
END $$;
