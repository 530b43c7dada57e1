-- Counted calls of the current minute, shared among web processes: worth nothing after a crash, so it is not logged.
-- The free space lets an update stay on its page.
CREATE UNLOGGED TABLE "request_counts" (
	"minute" integer NOT NULL,
	"key" text NOT NULL,
	"n" integer NOT NULL,
	CONSTRAINT "request_counts_minute_key_pk" PRIMARY KEY("minute","key")
) WITH (fillfactor = 50);
--> statement-breakpoint
-- For /metricsz: what waits for a retry, and whose schedules are not to be waited for. A delivery that succeeds at once
-- touches neither.
CREATE INDEX "schedules_failed" ON "schedules" USING btree ("shard") WHERE status = 'failed';
--> statement-breakpoint
CREATE INDEX "accounts_inactive" ON "accounts" USING btree ("id") WHERE status <> 'active' and erased_at is null;
