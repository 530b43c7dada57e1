CREATE TABLE "dead_schedules" (
	"schedule_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"died_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "death_groups" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"waiting" jsonb,
	"last_death_at" timestamp (3) with time zone,
	"last_notice_at" timestamp (3) with time zone,
	"interval_ms" bigint,
	"due_at" timestamp (3) with time zone,
	CONSTRAINT "death_groups_due_while_waiting" CHECK (("death_groups"."due_at" is null) = ("death_groups"."waiting" is null))
);
--> statement-breakpoint
CREATE TABLE "notices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"content" jsonb NOT NULL,
	"period" text,
	"level" smallint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone NOT NULL,
	"in_doubt_since" timestamp (3) with time zone,
	"outcome" text,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "notices_kind_known" CHECK ("notices"."kind" in ('dead', 'quota')),
	CONSTRAINT "notices_quota_has_level" CHECK (("notices"."kind" = 'quota') = ("notices"."level" is not null and "notices"."period" is not null)),
	CONSTRAINT "notices_level_known" CHECK ("notices"."level" in (80, 100, 110)),
	CONSTRAINT "notices_outcome_known" CHECK ("notices"."outcome" in ('sent', 'given up')),
	CONSTRAINT "notices_ended_with_outcome" CHECK (("notices"."ended_at" is null) = ("notices"."outcome" is null))
);
--> statement-breakpoint
CREATE INDEX "death_groups_due" ON "death_groups" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "notices_waiting" ON "notices" USING btree ("next_try_at") WHERE outcome is null;--> statement-breakpoint
CREATE INDEX "notices_of_account" ON "notices" USING btree ("account_id","outcome");--> statement-breakpoint
CREATE UNIQUE INDEX "notices_quota_once" ON "notices" USING btree ("account_id","period","level") WHERE kind = 'quota';--> statement-breakpoint
CREATE INDEX "notices_created" ON "notices" USING btree ("created_at");--> statement-breakpoint
-- Enters a live schedule that died, in the transaction that says so, whichever version of the dispatcher runs it.
CREATE FUNCTION enter_dead_schedule() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dead_schedules (schedule_id, account_id, died_at) VALUES (NEW.id, NEW.account_id, clock_timestamp())
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Of other updates only the condition costs: nothing is called and nothing queued.
CREATE TRIGGER "schedules_enter_dead" AFTER UPDATE OF "status" ON "schedules" FOR EACH ROW
	WHEN (NEW.status = 'dead' AND OLD.status <> 'dead' AND NEW.env = 'live')
	EXECUTE FUNCTION enter_dead_schedule();
