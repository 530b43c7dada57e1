ALTER TABLE schedule_requests ADD COLUMN recurrence_id uuid, ADD COLUMN occurrence_at timestamp(3) with time zone;
