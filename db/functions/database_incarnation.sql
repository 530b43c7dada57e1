-- Which database this is: the system identifier, which initdb gives a cluster, and the timeline, which grows with each
-- promotion and each restore to a point in time. A copy by pg_dump, and pg_upgrade, change the identifier. Either is NULL
-- where the server does not tell it: on a managed service that forbids it, and the timeline while the server recovers.
--
-- The timeline comes from the name of the current WAL file: after a promotion pg_control_checkpoint() still has the old one
-- until the next checkpoint. Source: PostgreSQL documentation, 9.28.3 and 9.28.11; 26.3.6 (timelines).
CREATE OR REPLACE FUNCTION database_incarnation(OUT system_identifier bigint, OUT timeline bigint)
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
END $$;
