ALTER TABLE holds ADD COLUMN database_oid bigint, ADD COLUMN table_oid bigint;
