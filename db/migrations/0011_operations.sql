CREATE TABLE "operations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"env" text NOT NULL,
	"shard" smallint NOT NULL,
	"action" text NOT NULL,
	"status" text DEFAULT 'running' NOT NULL,
	"filter" jsonb,
	"schedule_ids" uuid[],
	"accepted_at" timestamp (3) with time zone NOT NULL,
	"total" integer NOT NULL,
	"total_capped" boolean DEFAULT false NOT NULL,
	"idempotency_key" text,
	"request_hash" "bytea" NOT NULL,
	"place_at" timestamp (3) with time zone,
	"place_id" uuid,
	"scanned" bigint DEFAULT 0 NOT NULL,
	"acted" bigint DEFAULT 0 NOT NULL,
	"left_alone" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"failures" smallint DEFAULT 0 NOT NULL,
	"error_code" text,
	"next_step_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "operations_env_known" CHECK ("operations"."env" in ('live', 'test')),
	CONSTRAINT "operations_action_known" CHECK ("operations"."action" in ('cancel', 'replay')),
	CONSTRAINT "operations_status_known" CHECK ("operations"."status" in ('running', 'done', 'stopped', 'failed')),
	CONSTRAINT "operations_filter_or_ids" CHECK (("operations"."filter" is null) <> ("operations"."schedule_ids" is null)),
	CONSTRAINT "operations_place_whole" CHECK (("operations"."place_at" is null) = ("operations"."place_id" is null)),
	CONSTRAINT "operations_ended_unless_running" CHECK (("operations"."ended_at" is null) = ("operations"."status" = 'running')),
	CONSTRAINT "operations_error_when_failed" CHECK (("operations"."error_code" is not null) = ("operations"."status" = 'failed')),
	CONSTRAINT "operations_key_length" CHECK (char_length("operations"."idempotency_key") between 1 and 255)
);
--> statement-breakpoint
CREATE INDEX "operations_running" ON "operations" USING btree ("shard","account_id","next_step_at") WHERE status = 'running';--> statement-breakpoint
CREATE INDEX "operations_newest" ON "operations" USING btree ("account_id","env","accepted_at","id");--> statement-breakpoint
CREATE INDEX "operations_ended" ON "operations" USING btree ("ended_at") WHERE ended_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "operations_idempotency_key" ON "operations" USING btree ("account_id","env","idempotency_key") WHERE idempotency_key is not null;