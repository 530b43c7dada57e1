CREATE TABLE heartbeats (
  dispatcher_id uuid NOT NULL,
  beat bigint NOT NULL,
  beat_at timestamptz(3) NOT NULL,
  skew_ms real,
  system_identifier bigint,
  timeline bigint,
  recovered_to timestamptz(3),
  open_from timestamptz(3),
  CONSTRAINT heartbeats_dispatcher_id_beat_pk PRIMARY KEY (dispatcher_id, beat)
);
--> statement-breakpoint
CREATE INDEX heartbeats_newest ON heartbeats (beat_at);
