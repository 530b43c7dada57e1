-- Reads at scale. Both extensions come with PostgreSQL and are trusted: the owner of the database may make them.
CREATE EXTENSION IF NOT EXISTS "pg_trgm";
--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS "btree_gin";
--> statement-breakpoint
-- Addresses are ASCII once the URL standard wrote them: comparing bytes folds their case at a tenth of the cost.
ALTER TABLE "schedule_requests" ALTER COLUMN "target_url" TYPE text COLLATE "C";
--> statement-breakpoint
-- Led by the account, so that a search reads nothing of others; as bytes, so that no B-tree is taken for it. A long pending
-- list makes one row cost some 30 µs instead of 180, and a search reads all of it: 16 MB are about 10,000 rows.
CREATE INDEX "schedule_requests_search" ON "schedule_requests" USING gin (uuid_send("account_id"),"target_url" gin_trgm_ops)
	WITH (fastupdate = on, gin_pending_list_limit = 16384);
--> statement-breakpoint
-- Requests of an account whose target matches a pattern, any p_max of them. A function for its settings: estimates know
-- nothing of one account's targets, and the one plan that is never slow is the search index.
CREATE FUNCTION matched_requests(p_account uuid, p_env text, p_pattern text, p_max integer)
RETURNS TABLE (schedule_id uuid, created_at timestamptz(3)) LANGUAGE plpgsql STABLE ROWS 1000
SET enable_seqscan = off SET enable_bitmapscan = on SET max_parallel_workers_per_gather = 0 AS $$
BEGIN
  RETURN QUERY SELECT r.schedule_id, r.created_at FROM schedule_requests r
    WHERE uuid_send(r.account_id) = uuid_send(p_account) AND r.target_url ILIKE p_pattern AND r.env = p_env LIMIT p_max;
END $$;
--> statement-breakpoint
-- Without the firing ones, so that a claim does not touch it; those few are found by "schedules_firing".
CREATE INDEX "schedules_by_status" ON "schedules" USING btree ("account_id","env","status","fire_at","id") INCLUDE ("created_at") WHERE status <> 'firing';
--> statement-breakpoint
CREATE INDEX "schedules_attention" ON "schedules" USING btree ("account_id","env","status","last_attempt_at") WHERE status in ('failed', 'dead');
--> statement-breakpoint
-- Two in place of one: each attempt is in one of them, so writing costs what it did, and either outcome is read alone.
DROP INDEX "attempts_newest";
--> statement-breakpoint
CREATE INDEX "attempts_delivered" ON "attempts" USING btree ("account_id","env","attempted_at","schedule_id","attempt") WHERE outcome = 'delivered';
--> statement-breakpoint
CREATE INDEX "attempts_undelivered" ON "attempts" USING btree ("account_id","env","attempted_at","schedule_id","attempt","status_code") WHERE outcome <> 'delivered';
--> statement-breakpoint
-- New rows alone enter it, one per hour and class: counting up stays a heap-only update.
CREATE INDEX "account_counts_outcomes" ON "account_counts" USING btree ("account_id","env","hour") WHERE kind = 'outcome';
--> statement-breakpoint
CREATE TABLE "deleted_schedules" (
	"account_id" uuid NOT NULL,
	"env" text NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "deleted_schedules_account_id_env_pk" PRIMARY KEY("account_id","env"),
	CONSTRAINT "deleted_schedules_env_known" CHECK ("deleted_schedules"."env" in ('live', 'test'))
);
--> statement-breakpoint
ALTER TABLE "deleted_schedules" ADD CONSTRAINT "deleted_schedules_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- What was created is in "usage" already; with what was deleted it tells how many there are, whoever deletes.
CREATE FUNCTION count_deleted_schedules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deleted_schedules AS d (account_id, env, n)
    SELECT g.account_id, g.env, count(*) FROM gone g JOIN accounts a ON a.id = g.account_id
    GROUP BY g.account_id, g.env ORDER BY g.account_id, g.env
    ON CONFLICT (account_id, env) DO UPDATE SET n = d.n + excluded.n;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "schedule_requests_deleted" AFTER DELETE ON "schedule_requests" REFERENCING OLD TABLE AS gone
	FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_schedules();
