ALTER TABLE schedules ADD COLUMN last_status_code smallint, ADD COLUMN last_error text;
