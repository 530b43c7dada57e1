ALTER TABLE host_counts ADD COLUMN last_error_at timestamptz(3);
