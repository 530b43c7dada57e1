ALTER TABLE schedules ADD COLUMN delivery jsonb, ADD COLUMN end_reason text;
