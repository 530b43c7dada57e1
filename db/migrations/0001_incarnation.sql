ALTER TABLE dispatchers ADD COLUMN system_identifier bigint, ADD COLUMN timeline bigint;
--> statement-breakpoint
CREATE TABLE holds (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  reason text NOT NULL,
  system_identifier bigint,
  timeline bigint,
  newest_beat_at timestamptz(3),
  began_at timestamptz(3) DEFAULT clock_timestamp() NOT NULL,
  ended_at timestamptz(3),
  choice text,
  send_from timestamptz(3),
  CONSTRAINT holds_reason_known CHECK (reason IN ('older_timeline', 'restored', 'operator')),
  CONSTRAINT holds_choice_known CHECK (choice IN ('send_all', 'send_from', 'continued')),
  CONSTRAINT holds_ended_by_choice CHECK ((ended_at IS NULL) = (choice IS NULL)),
  CONSTRAINT holds_instant_with_choice CHECK ((send_from IS NOT NULL) = coalesce(choice = 'send_from', false))
);
--> statement-breakpoint
CREATE UNIQUE INDEX holds_open ON holds ((ended_at IS NULL)) WHERE ended_at IS NULL;
--> statement-breakpoint
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
