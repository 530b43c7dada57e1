ALTER TABLE "accounts" DROP CONSTRAINT "accounts_email_folded";--> statement-breakpoint
CREATE INDEX "sign_in_tokens_email" ON "sign_in_tokens" USING btree ("email");--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_email_form" CHECK ("accounts"."erased_at" IS NOT NULL OR "accounts"."email" COLLATE "C" ~ '^[!-?[-~]+@[a-z0-9.-]+$');--> statement-breakpoint
ALTER TABLE "sign_in_tokens" ADD CONSTRAINT "sign_in_tokens_email_form" CHECK ("sign_in_tokens"."email" COLLATE "C" ~ '^[!-?[-~]+@[a-z0-9.-]+$');