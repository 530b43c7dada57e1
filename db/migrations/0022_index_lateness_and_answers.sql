CREATE INDEX CONCURRENTLY schedules_late ON schedules (account_id, env, offset_ms, id) WHERE offset_ms IS NOT NULL;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY schedules_failed_answers ON schedules (account_id, env, last_status_code, fire_at, id)
  WHERE last_status_code < 200 OR last_status_code >= 300 OR last_error IS NOT NULL;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY attempts_late ON attempts (account_id, env, late_ms, schedule_id, attempt, attempted_at);
