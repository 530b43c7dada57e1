CREATE TABLE "security_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"times" integer DEFAULT 1 NOT NULL,
	"hour" timestamp (3) with time zone,
	"actor" text,
	"actor_id" uuid,
	"subject_id" uuid,
	"details" jsonb NOT NULL,
	"network" text,
	"user_agent" text,
	CONSTRAINT "security_events_kind_known" CHECK ("security_events"."kind" in ('signed_in', 'credential_refused', 'api_key_created', 'api_key_rotated', 'api_key_revoked', 'signing_secrets_rotated', 'identity_linked', 'identity_removed', 'session_ended', 'account_deactivated', 'account_reactivated', 'account_deleted')),
	CONSTRAINT "security_events_actor_known" CHECK ("security_events"."actor" in ('session', 'api_key', 'sign_in', 'administrator', 'operator'))
);
--> statement-breakpoint
ALTER TABLE "notices" DROP CONSTRAINT "notices_kind_known";--> statement-breakpoint
ALTER TABLE "identities" ADD COLUMN "id" uuid DEFAULT gen_random_uuid() NOT NULL;--> statement-breakpoint
ALTER TABLE "security_events" ADD CONSTRAINT "security_events_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "security_events_account" ON "security_events" USING btree ("account_id","at","id");--> statement-breakpoint
CREATE INDEX "security_events_kind" ON "security_events" USING btree ("account_id","kind","at");--> statement-breakpoint
CREATE UNIQUE INDEX "security_events_refused" ON "security_events" USING btree ("account_id","subject_id","hour") WHERE hour is not null;--> statement-breakpoint
CREATE INDEX "security_events_at" ON "security_events" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "identities_id_key" ON "identities" USING btree ("id");--> statement-breakpoint
CREATE UNIQUE INDEX "notices_security_collects" ON "notices" USING btree ("account_id") WHERE kind = 'security' and attempts = 0 and outcome is null;--> statement-breakpoint
ALTER TABLE "notices" ADD CONSTRAINT "notices_kind_known" CHECK ("notices"."kind" in ('dead', 'quota', 'security'));