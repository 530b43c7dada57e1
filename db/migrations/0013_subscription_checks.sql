-- Subscriptions are read from the billing provider without an event, too: those of before this migration at once, a few at a
-- time. The default is not volatile, so no row is rewritten; the index has one entry per customer.
ALTER TABLE "subscriptions" ADD COLUMN "next_check_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE INDEX "subscriptions_to_check" ON "subscriptions" USING btree ("next_check_at");