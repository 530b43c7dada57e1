ALTER TABLE holds ADD COLUMN database_oid bigint, ADD COLUMN table_oid bigint;
--> statement-breakpoint
DROP FUNCTION database_incarnation();
--> statement-breakpoint
-- Which database this is:
--   system_identifier  given to a cluster by initdb; another one after pg_dump into another server, and after pg_upgrade
--   timeline           grows with each promotion and each restore to a point in time
--   database_oid       another one after CREATE DATABASE, also as a copy by TEMPLATE
--   table_oid          that of `schedules`; another one when the table was created anew, as pg_restore does
-- Each is NULL where the server does not tell it: the first on a managed service that forbids it, the second also while the
-- server recovers. VACUUM FULL, CLUSTER and TRUNCATE change none of them, as they would a relfilenode; nor does a failover, but
-- for the timeline.
--
-- was_standby: the server followed another one by streaming replication until it was promoted, and was not started since.
--
-- The timeline comes from the name of the current WAL file: after a promotion pg_control_checkpoint() still has the old one
-- until the next checkpoint. Source: PostgreSQL documentation, 9.28.3, 9.28.4 and 9.28.11; 26.3.6 (timelines).
CREATE OR REPLACE FUNCTION database_incarnation(OUT system_identifier bigint, OUT timeline bigint, OUT database_oid bigint,
  OUT table_oid bigint, OUT was_standby boolean)
LANGUAGE plpgsql AS $$
BEGIN
  BEGIN
    system_identifier := (SELECT c.system_identifier FROM pg_catalog.pg_control_system() c);
  EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
    NULL;
  END;
  BEGIN
    timeline := ('x' || left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8))::bit(32)::bigint;
  EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported OR object_not_in_prerequisite_state THEN
    NULL;
  END;
  database_oid := (SELECT d.oid::bigint FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database());
  table_oid := pg_catalog.to_regclass('schedules')::oid::bigint;
  BEGIN
    was_standby := pg_catalog.pg_last_wal_receive_lsn() IS NOT NULL AND NOT pg_catalog.pg_is_in_recovery();
  EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
    was_standby := false;
  END;
END $$;
