-- Both extensions come with PostgreSQL and are trusted: the owner of the database may create them.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
--> statement-breakpoint
-- Accounts and how they sign in

CREATE TABLE accounts (
  id uuid PRIMARY KEY,
  email text NOT NULL,
  email_verified_at timestamptz(3),
  name text,
  avatar_url text,
  plan text NOT NULL,
  granted_plan text DEFAULT 'free' NOT NULL,
  status text DEFAULT 'active' NOT NULL,
  shard smallint GENERATED ALWAYS AS (get_byte(uuid_send(id), 15) & 63) STORED NOT NULL,
  activated_at timestamptz(3) DEFAULT now() NOT NULL,
  notices boolean DEFAULT true NOT NULL,
  deleted_at timestamptz(3),
  erased_at timestamptz(3),
  created_at timestamptz(3) DEFAULT now() NOT NULL,
  updated_at timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT accounts_email_form CHECK (erased_at IS NOT NULL OR email COLLATE "C" ~ '^[!-?[-~]+@[a-z0-9.-]+$'),
  CONSTRAINT accounts_plan_known CHECK (plan IN ('free', 'indie')),
  CONSTRAINT accounts_granted_plan_known CHECK (granted_plan IN ('free', 'indie')),
  CONSTRAINT accounts_status_known CHECK (status IN ('active', 'deactivated', 'deleted'))
);
CREATE UNIQUE INDEX accounts_email_key ON accounts (email) WHERE status <> 'deleted';
CREATE INDEX accounts_to_erase ON accounts (deleted_at, id) WHERE status = 'deleted' AND erased_at IS NULL;
CREATE INDEX accounts_inactive ON accounts (id) WHERE status <> 'active' AND erased_at IS NULL;

CREATE TABLE identities (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  provider text NOT NULL,
  provider_account_id text NOT NULL,
  account_id uuid NOT NULL,
  created_at timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT identities_provider_provider_account_id_pk PRIMARY KEY (provider, provider_account_id),
  CONSTRAINT identities_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT identities_provider_known CHECK (provider IN ('google', 'github'))
);
CREATE UNIQUE INDEX identities_id_key ON identities (id);
CREATE INDEX identities_account ON identities (account_id);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  env text NOT NULL,
  name text NOT NULL,
  hash bytea NOT NULL,
  last4 text NOT NULL,
  created_at timestamptz(3) DEFAULT now() NOT NULL,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  CONSTRAINT api_keys_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT api_keys_env_known CHECK (env IN ('live', 'test')),
  CONSTRAINT api_keys_hash_size CHECK (octet_length(hash) = 32)
);
CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (hash);
CREATE INDEX api_keys_account ON api_keys (account_id, created_at);
CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE TABLE sessions (
  token_hash text PRIMARY KEY,
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  account_id uuid NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  user_agent text,
  created_at timestamptz(3) DEFAULT now() NOT NULL,
  last_used_at timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT sessions_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX sessions_id_key ON sessions (id);
CREATE INDEX sessions_account ON sessions (account_id, expires_at);
CREATE INDEX sessions_expired ON sessions (expires_at);

CREATE TABLE sign_in_tokens (
  token_hash text PRIMARY KEY,
  email text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT sign_in_tokens_email_form CHECK (email COLLATE "C" ~ '^[!-?[-~]+@[a-z0-9.-]+$')
);
CREATE INDEX sign_in_tokens_expired ON sign_in_tokens (expires_at);
CREATE INDEX sign_in_tokens_email ON sign_in_tokens (email);

CREATE TABLE sign_in_requests (
  key text NOT NULL,
  asked_at timestamptz(3) NOT NULL
);
CREATE INDEX sign_in_requests_key ON sign_in_requests (key, asked_at);
CREATE INDEX sign_in_requests_asked ON sign_in_requests (asked_at);

CREATE TABLE security_events (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  kind text NOT NULL,
  at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  times integer DEFAULT 1 NOT NULL,
  hour timestamptz(3),
  actor text,
  actor_id uuid,
  subject_id uuid,
  details jsonb NOT NULL,
  network text,
  user_agent text,
  CONSTRAINT security_events_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT security_events_kind_known CHECK (kind IN (
    'signed_in', 'credential_refused', 'api_key_created', 'api_key_rotated', 'api_key_revoked', 'signing_secrets_rotated',
    'identity_linked', 'identity_removed', 'session_ended', 'account_deactivated', 'account_reactivated',
    'account_deleted')),
  CONSTRAINT security_events_actor_known CHECK (actor IN ('session', 'api_key', 'sign_in', 'administrator', 'operator'))
);
CREATE INDEX security_events_account ON security_events (account_id, at, id);
CREATE INDEX security_events_kind ON security_events (account_id, kind, at);
CREATE UNIQUE INDEX security_events_refused ON security_events (account_id, subject_id, hour) WHERE hour IS NOT NULL;
CREATE INDEX security_events_at ON security_events (at);
--> statement-breakpoint
-- Settings, secrets and usage of an account

CREATE TABLE relay_settings (
  account_id uuid PRIMARY KEY,
  cps_limit integer,
  retry_attempts integer,
  retry_backoff_ms integer,
  retry_strategy text,
  early_fire boolean,
  updated_at timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT relay_settings_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT relay_settings_strategy_known CHECK (retry_strategy IN ('exponential', 'linear', 'fixed')),
  CONSTRAINT relay_settings_cps_positive CHECK (cps_limit >= 1),
  CONSTRAINT relay_settings_attempts_positive CHECK (retry_attempts >= 0)
);

CREATE TABLE signing_secrets (
  account_id uuid NOT NULL,
  env text NOT NULL,
  current bytea NOT NULL,
  next bytea NOT NULL,
  former bytea,
  former_until timestamptz(3),
  rotated_at timestamptz(3),
  CONSTRAINT signing_secrets_account_id_env_pk PRIMARY KEY (account_id, env),
  CONSTRAINT signing_secrets_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT signing_secrets_env_known CHECK (env IN ('live', 'test'))
);

CREATE TABLE secret_rotations (
  account_id uuid NOT NULL,
  env text NOT NULL,
  idempotency_key text NOT NULL,
  sealed bytea NOT NULL,
  rotated_at timestamptz(3) NOT NULL,
  CONSTRAINT secret_rotations_account_id_env_idempotency_key_pk PRIMARY KEY (account_id, env, idempotency_key),
  CONSTRAINT secret_rotations_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT secret_rotations_env_known CHECK (env IN ('live', 'test')),
  CONSTRAINT secret_rotations_key_length CHECK (char_length(idempotency_key) BETWEEN 1 AND 255)
);
CREATE INDEX secret_rotations_rotated ON secret_rotations (rotated_at);

CREATE TABLE usage (
  account_id uuid NOT NULL,
  env text NOT NULL,
  period text NOT NULL,
  scheduled integer NOT NULL,
  CONSTRAINT usage_account_id_env_period_pk PRIMARY KEY (account_id, env, period),
  CONSTRAINT usage_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT usage_period_form CHECK (period ~ '^[0-9]{6}$'),
  CONSTRAINT usage_scheduled_positive CHECK (scheduled >= 0)
);
--> statement-breakpoint
-- Schedules

CREATE TABLE schedules (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  env text NOT NULL,
  shard smallint NOT NULL,
  status text DEFAULT 'scheduled' NOT NULL,
  version bigint DEFAULT 1 NOT NULL,
  early_fire boolean NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  interruptions smallint DEFAULT 0 NOT NULL,
  fire_at timestamptz(3) NOT NULL,
  moved_to_now_at timestamptz(3),
  next_attempt_at timestamptz(3),
  claimed_by uuid,
  claimed_at timestamptz(3),
  claim_deadline timestamptz(3),
  fired_at timestamptz(3),
  offset_ms bigint,
  last_attempt_at timestamptz(3),
  ended_at timestamptz(3),
  payload_size_bytes integer NOT NULL,
  sealed_bytes integer NOT NULL,
  origin text NOT NULL,
  created_at timestamptz(3) DEFAULT now() NOT NULL,
  updated_at timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT schedules_status_known CHECK (status IN ('scheduled', 'firing', 'succeeded', 'failed', 'dead', 'cancelled')),
  CONSTRAINT schedules_env_known CHECK (env IN ('live', 'test')),
  CONSTRAINT schedules_next_attempt_while_open CHECK ((next_attempt_at IS NOT NULL) = (status IN ('scheduled', 'failed', 'firing'))),
  CONSTRAINT schedules_claim_while_firing CHECK ((claim_deadline IS NOT NULL) = (status = 'firing')),
  CONSTRAINT schedules_ended_when_terminal CHECK ((ended_at IS NOT NULL) = (status IN ('succeeded', 'dead', 'cancelled'))),
  CONSTRAINT schedules_scheduled_is_untried CHECK (status <> 'scheduled' OR attempts = 0),
  CONSTRAINT schedules_offset_with_fired CHECK ((fired_at IS NULL) = (offset_ms IS NULL)),
  CONSTRAINT schedules_never_early CHECK (offset_ms >= 0 OR early_fire)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX schedules_due ON schedules (shard, next_attempt_at, id) WHERE status IN ('scheduled', 'failed');
CREATE INDEX schedules_due_of_account ON schedules (account_id, env, next_attempt_at, id)
  WHERE status IN ('scheduled', 'failed');
-- For /metricsz: schedules that wait for a retry. A delivery that succeeds at once does not write to it.
CREATE INDEX schedules_failed ON schedules (shard) WHERE status = 'failed';
-- Without firing schedules, so that a claim does not write to it; schedules_firing finds those few.
CREATE INDEX schedules_by_status ON schedules (account_id, env, status, fire_at, id) INCLUDE (created_at)
  WHERE status <> 'firing';
CREATE INDEX schedules_attention ON schedules (account_id, env, status, last_attempt_at)
  WHERE status IN ('failed', 'dead');
CREATE INDEX schedules_firing ON schedules (shard, claim_deadline) WHERE status = 'firing';
-- For retention: ended schedules whose request is still stored, apart from those whose request is erased. A schedule
-- enters it once, when it ends.
CREATE INDEX schedules_ended ON schedules (account_id, (sealed_bytes > 0), ended_at) WHERE ended_at IS NOT NULL;

-- The collation "C" compares targets byte by byte: the URL standard has made them ASCII, and folding their case costs a
-- tenth.
CREATE TABLE schedule_requests (
  schedule_id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  env text NOT NULL,
  target_url text COLLATE "C" NOT NULL,
  method text NOT NULL,
  sealed bytea,
  idempotency_key text,
  request_hash bytea NOT NULL,
  replay_of uuid,
  erased_at timestamptz(3),
  created_at timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT schedule_requests_method_known CHECK (method IN ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  CONSTRAINT schedule_requests_env_known CHECK (env IN ('live', 'test')),
  CONSTRAINT schedule_requests_key_length CHECK (char_length(idempotency_key) BETWEEN 1 AND 255)
);
CREATE UNIQUE INDEX schedule_requests_idempotency_key ON schedule_requests (account_id, env, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX schedule_requests_newest ON schedule_requests (account_id, env, created_at, schedule_id);
-- Replays and clones only.
CREATE INDEX schedule_requests_copies ON schedule_requests (account_id, env, replay_of, schedule_id)
  WHERE replay_of IS NOT NULL;
-- The account comes first, so that a search reads no other account's targets; as bytes, so that no B-tree is preferred.
-- With a long pending list a row costs 30 µs instead of 180. A search reads all of the list: 16 MB are about 10,000 rows.
CREATE INDEX schedule_requests_search ON schedule_requests USING gin (uuid_send(account_id), target_url gin_trgm_ops)
  WITH (fastupdate = on, gin_pending_list_limit = 16384);
-- Ciphertext does not compress.
ALTER TABLE schedule_requests ALTER COLUMN sealed SET STORAGE EXTERNAL;

CREATE TABLE deleted_schedules (
  account_id uuid NOT NULL,
  env text NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT deleted_schedules_account_id_env_pk PRIMARY KEY (account_id, env),
  CONSTRAINT deleted_schedules_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT deleted_schedules_env_known CHECK (env IN ('live', 'test'))
);
--> statement-breakpoint
-- Dispatchers, what they own, and the calendar of lanes

CREATE TABLE dispatchers (
  id uuid PRIMARY KEY,
  host text NOT NULL,
  pid integer NOT NULL,
  version text NOT NULL,
  started_at timestamptz(3) DEFAULT now() NOT NULL,
  beat_at timestamptz(3) DEFAULT now() NOT NULL,
  stopped_at timestamptz(3),
  skew_ms real
);

CREATE TABLE shards (
  id smallint PRIMARY KEY,
  owner uuid,
  epoch bigint DEFAULT 0 NOT NULL,
  lease_until timestamptz(3) DEFAULT '-infinity' NOT NULL,
  handover jsonb,
  CONSTRAINT shards_fence UNIQUE (id, epoch),
  CONSTRAINT shards_id_range CHECK (id BETWEEN 0 AND 63)
);
INSERT INTO shards (id) SELECT generate_series(0, 63);

-- An entry changes as often as its lane empties. Vacuum removes the dead entries before they delay
-- reading those that are due.
CREATE TABLE lanes (
  account_id uuid NOT NULL,
  env text NOT NULL,
  shard smallint NOT NULL,
  due_at timestamptz(3),
  CONSTRAINT lanes_account_id_env_pk PRIMARY KEY (account_id, env),
  CONSTRAINT lanes_env_known CHECK (env IN ('live', 'test'))
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
CREATE INDEX lanes_due ON lanes (shard, due_at, account_id, env) WHERE due_at IS NOT NULL;
--> statement-breakpoint
-- Attempts, and counts of them

CREATE TABLE attempts (
  schedule_id uuid NOT NULL,
  attempt integer NOT NULL,
  attempted_at timestamptz(3) NOT NULL,
  account_id uuid NOT NULL,
  env text NOT NULL,
  outcome text NOT NULL,
  status_code smallint,
  latency_ms integer NOT NULL,
  error_text text NOT NULL,
  late_ms real,
  claim_ms real,
  wait_ms real,
  connect_ms real,
  first_byte_ms real,
  CONSTRAINT attempts_schedule_id_attempt_attempted_at_pk PRIMARY KEY (schedule_id, attempt, attempted_at),
  CONSTRAINT attempts_outcome_known CHECK (outcome IN ('delivered', 'rejected', 'unreachable', 'blocked', 'interrupted')),
  CONSTRAINT attempts_status_code_when_answered CHECK ((status_code IS NOT NULL) = (outcome IN ('delivered', 'rejected')))
) PARTITION BY RANGE (attempted_at);
-- Each attempt is in one of the two.
CREATE INDEX attempts_delivered ON attempts (account_id, env, attempted_at, schedule_id, attempt)
  WHERE outcome = 'delivered';
CREATE INDEX attempts_undelivered ON attempts (account_id, env, attempted_at, schedule_id, attempt, status_code)
  WHERE outcome <> 'delivered';
-- Takes the rows of days that have no partition, so that recording an attempt never fails for lack of one.
CREATE TABLE attempts_default PARTITION OF attempts DEFAULT;

CREATE TABLE account_counts (
  account_id uuid NOT NULL,
  env text NOT NULL,
  hour timestamptz(3) NOT NULL,
  kind text NOT NULL,
  bucket smallint NOT NULL,
  n bigint NOT NULL,
  min_ms bigint,
  max_ms bigint,
  CONSTRAINT account_counts_account_id_env_hour_kind_bucket_pk PRIMARY KEY (account_id, env, hour, kind, bucket),
  CONSTRAINT account_counts_kind_known CHECK (kind IN ('outcome', 'offset'))
);
-- Only a new row enters it, so that counting up stays a heap-only update.
CREATE INDEX account_counts_outcomes ON account_counts (account_id, env, hour) WHERE kind = 'outcome';

CREATE TABLE shard_punctuality (
  shard smallint NOT NULL,
  starts_at timestamptz(3) NOT NULL,
  bucket smallint NOT NULL,
  n bigint NOT NULL,
  on_time bigint NOT NULL,
  CONSTRAINT shard_punctuality_shard_starts_at_bucket_pk PRIMARY KEY (shard, starts_at, bucket)
);
--> statement-breakpoint
-- Operations on many schedules

CREATE TABLE operations (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  env text NOT NULL,
  shard smallint NOT NULL,
  action text NOT NULL,
  status text DEFAULT 'running' NOT NULL,
  filter jsonb,
  schedule_ids uuid[],
  accepted_at timestamptz(3) NOT NULL,
  total integer NOT NULL,
  total_capped boolean DEFAULT false NOT NULL,
  idempotency_key text,
  request_hash bytea NOT NULL,
  place_at timestamptz(3),
  place_id uuid,
  scanned bigint DEFAULT 0 NOT NULL,
  acted bigint DEFAULT 0 NOT NULL,
  left_alone jsonb DEFAULT '{}'::jsonb NOT NULL,
  failures smallint DEFAULT 0 NOT NULL,
  error_code text,
  next_step_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  CONSTRAINT operations_env_known CHECK (env IN ('live', 'test')),
  CONSTRAINT operations_action_known CHECK (action IN ('cancel', 'replay')),
  CONSTRAINT operations_status_known CHECK (status IN ('running', 'done', 'stopped', 'failed')),
  CONSTRAINT operations_filter_or_ids CHECK ((filter IS NULL) <> (schedule_ids IS NULL)),
  CONSTRAINT operations_place_whole CHECK ((place_at IS NULL) = (place_id IS NULL)),
  CONSTRAINT operations_ended_unless_running CHECK ((ended_at IS NULL) = (status = 'running')),
  CONSTRAINT operations_error_when_failed CHECK ((error_code IS NOT NULL) = (status = 'failed')),
  CONSTRAINT operations_key_length CHECK (char_length(idempotency_key) BETWEEN 1 AND 255)
);
CREATE INDEX operations_running ON operations (shard, account_id, next_step_at) WHERE status = 'running';
CREATE INDEX operations_newest ON operations (account_id, env, accepted_at, id);
CREATE INDEX operations_ended ON operations (ended_at) WHERE ended_at IS NOT NULL;
CREATE UNIQUE INDEX operations_idempotency_key ON operations (account_id, env, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
--> statement-breakpoint
-- Notices to owners

CREATE TABLE dead_schedules (
  schedule_id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  died_at timestamptz(3) NOT NULL
);

CREATE TABLE death_groups (
  account_id uuid PRIMARY KEY,
  waiting jsonb,
  last_death_at timestamptz(3),
  last_notice_at timestamptz(3),
  interval_ms bigint,
  due_at timestamptz(3),
  CONSTRAINT death_groups_due_while_waiting CHECK ((due_at IS NULL) = (waiting IS NULL))
);
CREATE INDEX death_groups_due ON death_groups (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE notices (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  kind text NOT NULL,
  content jsonb NOT NULL,
  period text,
  level smallint,
  created_at timestamptz(3) NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_try_at timestamptz(3) NOT NULL,
  in_doubt_since timestamptz(3),
  outcome text,
  ended_at timestamptz(3),
  CONSTRAINT notices_kind_known CHECK (kind IN ('dead', 'quota', 'security')),
  CONSTRAINT notices_quota_has_level CHECK ((kind = 'quota') = (level IS NOT NULL AND period IS NOT NULL)),
  CONSTRAINT notices_level_known CHECK (level IN (80, 100, 110)),
  CONSTRAINT notices_outcome_known CHECK (outcome IN ('sent', 'given up')),
  CONSTRAINT notices_ended_with_outcome CHECK ((ended_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX notices_waiting ON notices (next_try_at) WHERE outcome IS NULL;
CREATE INDEX notices_of_account ON notices (account_id, outcome);
CREATE UNIQUE INDEX notices_quota_once ON notices (account_id, period, level) WHERE kind = 'quota';
CREATE UNIQUE INDEX notices_security_collects ON notices (account_id)
  WHERE kind = 'security' AND attempts = 0 AND outcome IS NULL;
CREATE INDEX notices_created ON notices (created_at);
--> statement-breakpoint
-- Billing

CREATE TABLE subscriptions (
  account_id uuid PRIMARY KEY,
  customer_id text NOT NULL,
  status text DEFAULT 'none' NOT NULL,
  current_period_end timestamptz(3),
  paid_until timestamptz(3),
  paying boolean DEFAULT false NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  next_check_at timestamptz(3) DEFAULT now() NOT NULL,
  created_at timestamptz(3) DEFAULT now() NOT NULL,
  updated_at timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT subscriptions_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT subscriptions_status_known CHECK (status IN ('none', 'active', 'past_due', 'canceled')),
  CONSTRAINT subscriptions_paying_for_something CHECK (NOT paying OR status <> 'none')
);
CREATE INDEX subscriptions_to_check ON subscriptions (next_check_at);
CREATE UNIQUE INDEX subscriptions_customer_key ON subscriptions (customer_id);
CREATE INDEX subscriptions_ending ON subscriptions (paid_until) WHERE paying AND paid_until IS NOT NULL;

CREATE TABLE customer_deletions (
  customer_id text PRIMARY KEY,
  tries integer DEFAULT 0 NOT NULL,
  next_try_at timestamptz(3) DEFAULT now() NOT NULL,
  queued_at timestamptz(3) DEFAULT now() NOT NULL
);
CREATE INDEX customer_deletions_due ON customer_deletions (next_try_at);
--> statement-breakpoint
-- The installation

CREATE TABLE instance_secrets (
  name text PRIMARY KEY,
  sealed bytea NOT NULL,
  created_at timestamptz(3) DEFAULT now() NOT NULL
);

CREATE TABLE audit_log (
  id uuid PRIMARY KEY,
  at timestamptz(3) DEFAULT clock_timestamp() NOT NULL,
  actor text NOT NULL,
  actor_id uuid,
  action text NOT NULL,
  subject_id uuid NOT NULL,
  before jsonb NOT NULL,
  after jsonb NOT NULL,
  request_id text,
  CONSTRAINT audit_log_actor_known CHECK ((actor = 'admin') = (actor_id IS NOT NULL))
);
CREATE INDEX audit_log_at ON audit_log (at, id);
CREATE INDEX audit_log_subject ON audit_log (subject_id, at, id);

-- Calls of the current minute, counted for all web processes: worth nothing after a crash, so it is not logged. The free
-- space lets an update stay on its page.
CREATE UNLOGGED TABLE request_counts (
  minute integer NOT NULL,
  key text NOT NULL,
  n integer NOT NULL,
  CONSTRAINT request_counts_minute_key_pk PRIMARY KEY (minute, key)
) WITH (fillfactor = 50);
--> statement-breakpoint
-- Triggers

CREATE TRIGGER accounts_wake_lanes AFTER UPDATE OF status ON accounts FOR EACH ROW
  WHEN (NEW.status = 'active' AND OLD.status <> 'active') EXECUTE FUNCTION wake_lanes();
--> statement-breakpoint
-- A claim and its release leave next_attempt_at as it is. They need no entry, because the lane of a firing schedule is not
-- raised.
CREATE TRIGGER schedules_lower_lane AFTER UPDATE OF next_attempt_at ON schedules FOR EACH ROW
  WHEN (NEW.next_attempt_at < OLD.next_attempt_at OR (OLD.next_attempt_at IS NULL AND NEW.next_attempt_at IS NOT NULL))
  EXECUTE FUNCTION lower_lane_of_schedule();
--> statement-breakpoint
-- Other updates pay for the condition alone.
CREATE TRIGGER schedules_enter_dead AFTER UPDATE OF status ON schedules FOR EACH ROW
  WHEN (NEW.status = 'dead' AND OLD.status <> 'dead' AND NEW.env = 'live') EXECUTE FUNCTION enter_dead_schedule();
--> statement-breakpoint
CREATE TRIGGER schedule_requests_deleted AFTER DELETE ON schedule_requests REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_schedules();
--> statement-breakpoint
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
