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
