CREATE INDEX CONCURRENTLY schedule_requests_recurrence
  ON schedule_requests (account_id, env, recurrence_id, occurrence_at, schedule_id) WHERE recurrence_id IS NOT NULL;
