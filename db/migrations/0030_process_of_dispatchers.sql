ALTER TABLE dispatchers ADD COLUMN process text, ADD COLUMN ended_at timestamptz(3);
