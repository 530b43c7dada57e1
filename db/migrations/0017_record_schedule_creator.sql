ALTER TABLE schedule_requests ADD COLUMN created_by uuid;
