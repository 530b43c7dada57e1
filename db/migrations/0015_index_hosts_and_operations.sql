CREATE INDEX CONCURRENTLY schedule_requests_operation
  ON schedule_requests (account_id, env, operation_id, created_at, schedule_id) WHERE operation_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY schedule_requests_host
  ON schedule_requests (account_id, env, split_part(target_url, '/', 3), created_at, schedule_id);
