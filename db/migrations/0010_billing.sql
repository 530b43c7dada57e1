CREATE TABLE "audit_log" (
	"id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	"actor" text NOT NULL,
	"actor_id" uuid,
	"action" text NOT NULL,
	"subject_id" uuid NOT NULL,
	"before" jsonb NOT NULL,
	"after" jsonb NOT NULL,
	"request_id" text,
	CONSTRAINT "audit_log_actor_known" CHECK (("audit_log"."actor" = 'admin') = ("audit_log"."actor_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "customer_deletions" (
	"customer_id" text PRIMARY KEY NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"queued_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"customer_id" text NOT NULL,
	"status" text DEFAULT 'none' NOT NULL,
	"current_period_end" timestamp (3) with time zone,
	"paid_until" timestamp (3) with time zone,
	"paying" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subscriptions_status_known" CHECK ("subscriptions"."status" in ('none', 'active', 'past_due', 'canceled')),
	CONSTRAINT "subscriptions_paying_for_something" CHECK (not "subscriptions"."paying" or "subscriptions"."status" <> 'none')
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "granted_plan" text DEFAULT 'free' NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_at" ON "audit_log" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "audit_log_subject" ON "audit_log" USING btree ("subject_id","at","id");--> statement-breakpoint
CREATE INDEX "customer_deletions_due" ON "customer_deletions" USING btree ("next_try_at");--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_customer_key" ON "subscriptions" USING btree ("customer_id");--> statement-breakpoint
CREATE INDEX "subscriptions_ending" ON "subscriptions" USING btree ("paid_until") WHERE paying and paid_until is not null;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_granted_plan_known" CHECK ("accounts"."granted_plan" in ('free', 'indie'));
--> statement-breakpoint
-- There was no billing before: whoever is on another plan than Free was put there by the operator.
UPDATE "accounts" SET "granted_plan" = "plan" WHERE "plan" <> 'free';
--> statement-breakpoint
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is never changed' USING ERRCODE = 'insufficient_privilege';
END $$;
--> statement-breakpoint
CREATE TRIGGER "audit_log_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
