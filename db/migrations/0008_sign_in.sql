CREATE TABLE "identities" (
	"provider" text NOT NULL,
	"provider_account_id" text NOT NULL,
	"account_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "identities_provider_provider_account_id_pk" PRIMARY KEY("provider","provider_account_id"),
	CONSTRAINT "identities_provider_known" CHECK ("identities"."provider" in ('google', 'github'))
);
--> statement-breakpoint
CREATE TABLE "sign_in_requests" (
	"key" text NOT NULL,
	"asked_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_tokens" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "identities_account" ON "identities" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sign_in_requests_key" ON "sign_in_requests" USING btree ("key","asked_at");--> statement-breakpoint
CREATE INDEX "sign_in_requests_asked" ON "sign_in_requests" USING btree ("asked_at");--> statement-breakpoint
CREATE INDEX "sign_in_tokens_expired" ON "sign_in_tokens" USING btree ("expires_at");