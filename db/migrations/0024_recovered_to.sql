ALTER TABLE shards ADD COLUMN recovered_to timestamptz(3);
