CREATE TABLE "account_counts" (
	"account_id" uuid NOT NULL,
	"env" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"bucket" smallint NOT NULL,
	"n" bigint NOT NULL,
	"min_ms" bigint,
	"max_ms" bigint,
	CONSTRAINT "account_counts_account_id_env_hour_kind_bucket_pk" PRIMARY KEY("account_id","env","hour","kind","bucket"),
	CONSTRAINT "account_counts_kind_known" CHECK ("account_counts"."kind" in ('outcome', 'offset'))
);
--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"email_verified_at" timestamp (3) with time zone,
	"name" text,
	"avatar_url" text,
	"plan" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"shard" smallint GENERATED ALWAYS AS (get_byte(uuid_send(id), 15) & 63) STORED NOT NULL,
	"activated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_email_folded" CHECK ("accounts"."email" = lower(btrim("accounts"."email"))),
	CONSTRAINT "accounts_plan_known" CHECK ("accounts"."plan" in ('free', 'indie')),
	CONSTRAINT "accounts_status_known" CHECK ("accounts"."status" in ('active', 'deactivated', 'deleted'))
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"env" text NOT NULL,
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"last4" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "api_keys_env_known" CHECK ("api_keys"."env" in ('live', 'test')),
	CONSTRAINT "api_keys_hash_size" CHECK (octet_length("api_keys"."hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"schedule_id" uuid NOT NULL,
	"attempt" integer NOT NULL,
	"attempted_at" timestamp (3) with time zone NOT NULL,
	"account_id" uuid NOT NULL,
	"env" text NOT NULL,
	"outcome" text NOT NULL,
	"status_code" smallint,
	"latency_ms" integer NOT NULL,
	"error_text" text NOT NULL,
	"late_ms" real,
	"claim_ms" real,
	"wait_ms" real,
	"connect_ms" real,
	"first_byte_ms" real,
	CONSTRAINT "attempts_schedule_id_attempt_attempted_at_pk" PRIMARY KEY("schedule_id","attempt","attempted_at"),
	CONSTRAINT "attempts_outcome_known" CHECK ("attempts"."outcome" in ('delivered', 'rejected', 'unreachable', 'blocked', 'interrupted')),
	CONSTRAINT "attempts_status_code_when_answered" CHECK (("attempts"."status_code" is not null) = ("attempts"."outcome" in ('delivered', 'rejected')))
) PARTITION BY RANGE ("attempted_at");
--> statement-breakpoint
CREATE TABLE "dispatchers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"host" text NOT NULL,
	"pid" integer NOT NULL,
	"version" text NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"beat_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"stopped_at" timestamp (3) with time zone,
	"skew_ms" real
);
--> statement-breakpoint
CREATE TABLE "instance_secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"sealed" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "relay_settings" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"cps_limit" integer,
	"retry_attempts" integer,
	"retry_backoff_ms" integer,
	"retry_strategy" text,
	"early_fire" boolean,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "relay_settings_strategy_known" CHECK ("relay_settings"."retry_strategy" in ('exponential', 'linear', 'fixed')),
	CONSTRAINT "relay_settings_cps_positive" CHECK ("relay_settings"."cps_limit" >= 1),
	CONSTRAINT "relay_settings_attempts_positive" CHECK ("relay_settings"."retry_attempts" >= 0)
);
--> statement-breakpoint
CREATE TABLE "schedule_requests" (
	"schedule_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"env" text NOT NULL,
	"target_url" text NOT NULL,
	"method" text NOT NULL,
	"sealed" "bytea",
	"idempotency_key" text,
	"request_hash" "bytea" NOT NULL,
	"replay_of" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "schedule_requests_method_known" CHECK ("schedule_requests"."method" in ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
	CONSTRAINT "schedule_requests_env_known" CHECK ("schedule_requests"."env" in ('live', 'test')),
	CONSTRAINT "schedule_requests_key_length" CHECK (char_length("schedule_requests"."idempotency_key") between 1 and 255)
);
--> statement-breakpoint
CREATE TABLE "schedules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"env" text NOT NULL,
	"shard" smallint NOT NULL,
	"status" text DEFAULT 'scheduled' NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"early_fire" boolean NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"interruptions" smallint DEFAULT 0 NOT NULL,
	"fire_at" timestamp (3) with time zone NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"claimed_by" uuid,
	"claimed_at" timestamp (3) with time zone,
	"claim_deadline" timestamp (3) with time zone,
	"fired_at" timestamp (3) with time zone,
	"offset_ms" bigint,
	"last_attempt_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"payload_size_bytes" integer NOT NULL,
	"sealed_bytes" integer NOT NULL,
	"origin" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "schedules_status_known" CHECK ("schedules"."status" in ('scheduled', 'firing', 'succeeded', 'failed', 'dead', 'cancelled')),
	CONSTRAINT "schedules_env_known" CHECK ("schedules"."env" in ('live', 'test')),
	CONSTRAINT "schedules_next_attempt_while_open" CHECK (("schedules"."next_attempt_at" is not null) = ("schedules"."status" in ('scheduled', 'failed', 'firing'))),
	CONSTRAINT "schedules_claim_while_firing" CHECK (("schedules"."claim_deadline" is not null) = ("schedules"."status" = 'firing')),
	CONSTRAINT "schedules_ended_when_terminal" CHECK (("schedules"."ended_at" is not null) = ("schedules"."status" in ('succeeded', 'dead', 'cancelled'))),
	CONSTRAINT "schedules_scheduled_is_untried" CHECK ("schedules"."status" <> 'scheduled' or "schedules"."attempts" = 0),
	CONSTRAINT "schedules_offset_with_fired" CHECK (("schedules"."fired_at" is null) = ("schedules"."offset_ms" is null)),
	CONSTRAINT "schedules_never_early" CHECK ("schedules"."offset_ms" >= 0 or "schedules"."early_fire")
);
--> statement-breakpoint
CREATE TABLE "shard_punctuality" (
	"shard" smallint NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"bucket" smallint NOT NULL,
	"n" bigint NOT NULL,
	"on_time" bigint NOT NULL,
	CONSTRAINT "shard_punctuality_shard_hour_bucket_pk" PRIMARY KEY("shard","hour","bucket")
);
--> statement-breakpoint
CREATE TABLE "shards" (
	"id" smallint PRIMARY KEY NOT NULL,
	"owner" uuid,
	"epoch" bigint DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone DEFAULT '-infinity' NOT NULL,
	CONSTRAINT "shards_fence" UNIQUE("id","epoch"),
	CONSTRAINT "shards_id_range" CHECK ("shards"."id" between 0 and 63)
);
--> statement-breakpoint
CREATE TABLE "signing_secrets" (
	"account_id" uuid NOT NULL,
	"env" text NOT NULL,
	"current" "bytea" NOT NULL,
	"next" "bytea" NOT NULL,
	"former" "bytea",
	"former_until" timestamp (3) with time zone,
	"rotated_at" timestamp (3) with time zone,
	CONSTRAINT "signing_secrets_account_id_env_pk" PRIMARY KEY("account_id","env"),
	CONSTRAINT "signing_secrets_env_known" CHECK ("signing_secrets"."env" in ('live', 'test'))
);
--> statement-breakpoint
CREATE TABLE "usage" (
	"account_id" uuid NOT NULL,
	"env" text NOT NULL,
	"period" text NOT NULL,
	"scheduled" integer NOT NULL,
	CONSTRAINT "usage_account_id_env_period_pk" PRIMARY KEY("account_id","env","period"),
	CONSTRAINT "usage_period_form" CHECK ("usage"."period" ~ '^[0-9]{6}$'),
	CONSTRAINT "usage_scheduled_positive" CHECK ("usage"."scheduled" >= 0)
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "relay_settings" ADD CONSTRAINT "relay_settings_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signing_secrets" ADD CONSTRAINT "signing_secrets_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage" ADD CONSTRAINT "usage_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_email_key" ON "accounts" USING btree ("email") WHERE status <> 'deleted';--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "attempts_newest" ON "attempts" USING btree ("account_id","env","attempted_at","schedule_id");--> statement-breakpoint
CREATE UNIQUE INDEX "schedule_requests_idempotency_key" ON "schedule_requests" USING btree ("account_id","env","idempotency_key") WHERE idempotency_key is not null;--> statement-breakpoint
CREATE INDEX "schedule_requests_newest" ON "schedule_requests" USING btree ("account_id","env","created_at","schedule_id");--> statement-breakpoint
CREATE INDEX "schedules_due" ON "schedules" USING btree ("shard","next_attempt_at","id") WHERE status in ('scheduled', 'failed');--> statement-breakpoint
CREATE INDEX "schedules_due_of_account" ON "schedules" USING btree ("account_id","env","next_attempt_at","id") WHERE status in ('scheduled', 'failed');--> statement-breakpoint
CREATE INDEX "schedules_firing" ON "schedules" USING btree ("shard","claim_deadline") WHERE status = 'firing';
--> statement-breakpoint
ALTER TABLE "schedule_requests" ALTER COLUMN "sealed" SET STORAGE EXTERNAL;
--> statement-breakpoint
ALTER TABLE "schedules" SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
--> statement-breakpoint
INSERT INTO "shards" ("id") SELECT generate_series(0, 63);
--> statement-breakpoint
-- A row that no day's partition takes must not fail the whole record statement.
CREATE TABLE "attempts_default" PARTITION OF "attempts" DEFAULT;
--> statement-breakpoint
-- Makes the partitions of the days [p_from, p_from + p_days) that are missing; returns how many it made.
CREATE FUNCTION make_attempt_partitions(p_from date, p_days integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_day date;
  v_made integer := 0;
BEGIN
  FOR v_day IN SELECT p_from + d FROM generate_series(0, p_days - 1) d LOOP
    IF to_regclass('attempts_' || to_char(v_day, 'YYYYMMDD')) IS NULL THEN
      EXECUTE format(
        'CREATE TABLE %I PARTITION OF attempts FOR VALUES FROM (%L) TO (%L)',
        'attempts_' || to_char(v_day, 'YYYYMMDD'),
        to_char(v_day, 'YYYY-MM-DD') || ' 00:00:00+00',
        to_char(v_day + 1, 'YYYY-MM-DD') || ' 00:00:00+00');
      v_made := v_made + 1;
    END IF;
  END LOOP;
  RETURN v_made;
END $$;
--> statement-breakpoint
SELECT make_attempt_partitions((now() AT TIME ZONE 'utc')::date - 1, 9);
--> statement-breakpoint
-- Creates one schedule: known idempotency key, time, verdict of the caller, quota, insert, in that order.
-- plpgsql and not one CTE, because each statement in it takes a new snapshot: a row that another transaction
-- committed while this one waited for the usage row must be seen.
-- p_verdict is the caller's finding on target and size (an error code): it counts only when nothing before it does.
-- p_fire_at null means now. Outcomes: created, replayed, inactive, past, verdict, quota.
CREATE FUNCTION create_schedule(
  p_account uuid, p_env text, p_id uuid, p_fire_at timestamptz, p_early boolean, p_early_default boolean,
  p_target_url text, p_origin text, p_method text, p_sealed bytea, p_payload_size integer,
  p_idempotency_key text, p_request_hash bytea, p_replay_of uuid, p_verdict text,
  p_quota integer, p_grace integer, p_notify_horizon_ms integer,
  OUT outcome text, OUT id uuid, OUT fire_at timestamptz, OUT status text, OUT over_limit boolean, OUT mismatch boolean
) LANGUAGE plpgsql AS $$
DECLARE
  v_shard smallint;
  v_now timestamptz(3);
  v_period text;
  v_early boolean;
  v_used integer;
BEGIN
  -- FOR SHARE: an account that is being deactivated or deleted is waited for, so that no create slips past it.
  SELECT a.shard INTO v_shard FROM accounts a WHERE a.id = p_account AND a.status = 'active' FOR SHARE;
  IF NOT FOUND THEN
    outcome := 'inactive';
    RETURN;
  END IF;

  SELECT f.* INTO outcome, id, fire_at, status, over_limit, mismatch
    FROM find_replayed_schedule(p_account, p_env, p_idempotency_key, p_request_hash, p_quota) f;
  IF outcome IS NOT NULL THEN
    RETURN;
  END IF;

  -- Rounded up, as every fire_at is, so that "now" is never before the clock that judges it.
  v_now := date_trunc('milliseconds', clock_timestamp() + interval '999 microseconds');
  IF p_fire_at IS NOT NULL AND p_fire_at <= clock_timestamp() THEN
    outcome := 'past';
    RETURN;
  END IF;
  IF p_verdict IS NOT NULL THEN
    outcome := 'verdict';
    RETURN;
  END IF;

  v_period := to_char(clock_timestamp() AT TIME ZONE 'utc', 'YYYYMM');
  INSERT INTO usage AS u (account_id, env, period, scheduled)
    SELECT p_account, p_env, v_period, 1 WHERE p_grace > 0
    ON CONFLICT (account_id, env, period) DO UPDATE SET scheduled = u.scheduled + 1 WHERE u.scheduled < p_grace
    RETURNING u.scheduled INTO v_used;
  IF v_used IS NULL THEN
    SELECT f.* INTO outcome, id, fire_at, status, over_limit, mismatch
      FROM find_replayed_schedule(p_account, p_env, p_idempotency_key, p_request_hash, p_quota) f;
    IF outcome IS NULL THEN
      outcome := 'quota';
    END IF;
    RETURN;
  END IF;

  INSERT INTO schedule_requests (
    schedule_id, account_id, env, target_url, method, sealed, idempotency_key, request_hash, replay_of, created_at)
  VALUES (p_id, p_account, p_env, p_target_url, p_method, p_sealed, p_idempotency_key, p_request_hash, p_replay_of, v_now)
  ON CONFLICT (account_id, env, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING;
  IF NOT FOUND THEN
    UPDATE usage u SET scheduled = u.scheduled - 1
      WHERE u.account_id = p_account AND u.env = p_env AND u.period = v_period;
    SELECT f.* INTO outcome, id, fire_at, status, over_limit, mismatch
      FROM find_replayed_schedule(p_account, p_env, p_idempotency_key, p_request_hash, p_quota) f;
    RETURN;
  END IF;

  v_early := coalesce(p_early, (SELECT r.early_fire FROM relay_settings r WHERE r.account_id = p_account), p_early_default);
  INSERT INTO schedules AS s (
    id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin,
    created_at, updated_at)
  VALUES (
    p_id, p_account, p_env, v_shard, v_early, coalesce(p_fire_at, v_now), coalesce(p_fire_at, v_now), p_payload_size,
    coalesce(octet_length(p_sealed), 0), p_origin, v_now, v_now)
  RETURNING s.fire_at INTO fire_at;

  -- Only what the dispatchers' prefetch has already read past: NOTIFY takes one lock of the whole server at commit.
  IF fire_at <= clock_timestamp() + p_notify_horizon_ms * interval '1 millisecond' THEN
    PERFORM pg_notify('stopwatch_due', v_shard || ':' || p_id);
  END IF;

  outcome := 'created';
  id := p_id;
  status := 'scheduled';
  over_limit := v_used > p_quota;
  mismatch := false;
END $$;
--> statement-breakpoint
-- The schedule that holds an idempotency key, with the answer a repeated create gets; no row when the key is free.
CREATE FUNCTION find_replayed_schedule(
  p_account uuid, p_env text, p_idempotency_key text, p_request_hash bytea, p_quota integer
) RETURNS TABLE (outcome text, id uuid, fire_at timestamptz, status text, over_limit boolean, mismatch boolean)
LANGUAGE sql STABLE AS $$
  SELECT 'replayed', s.id, s.fire_at, s.status,
    coalesce((SELECT u.scheduled > p_quota FROM usage u WHERE u.account_id = p_account AND u.env = p_env
      AND u.period = to_char(clock_timestamp() AT TIME ZONE 'utc', 'YYYYMM')), false),
    r.request_hash <> p_request_hash
  FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
  WHERE r.account_id = p_account AND r.env = p_env AND r.idempotency_key = p_idempotency_key
$$;
