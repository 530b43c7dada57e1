CREATE TABLE "secret_rotations" (
	"account_id" uuid NOT NULL,
	"env" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"sealed" "bytea" NOT NULL,
	"rotated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "secret_rotations_account_id_env_idempotency_key_pk" PRIMARY KEY("account_id","env","idempotency_key"),
	CONSTRAINT "secret_rotations_env_known" CHECK ("secret_rotations"."env" in ('live', 'test')),
	CONSTRAINT "secret_rotations_key_length" CHECK (char_length("secret_rotations"."idempotency_key") between 1 and 255)
);
--> statement-breakpoint
ALTER TABLE "secret_rotations" ADD CONSTRAINT "secret_rotations_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "secret_rotations_rotated" ON "secret_rotations" USING btree ("rotated_at");