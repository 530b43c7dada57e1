ALTER TABLE heartbeats ADD COLUMN database_oid bigint, ADD COLUMN table_oid bigint, ADD COLUMN xact bigint;
