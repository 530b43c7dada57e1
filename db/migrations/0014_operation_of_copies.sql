ALTER TABLE schedule_requests ADD COLUMN operation_id uuid;
