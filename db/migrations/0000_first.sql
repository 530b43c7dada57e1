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
-- Functions: the calendar of lanes

-- Sets the entry of a lane in the calendar to p_due, unless it is that early already.
--
-- ON CONFLICT locks the row in either case, so this comes wholly before or wholly after raise_lanes. A plain UPDATE
-- would decide by a snapshot that is older than its lock.
CREATE OR REPLACE FUNCTION lower_lane(p_account uuid, p_env text, p_shard smallint, p_due timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO lanes AS l (account_id, env, shard, due_at) VALUES (p_account, p_env, p_shard, p_due)
    ON CONFLICT (account_id, env) DO UPDATE SET due_at = excluded.due_at
    WHERE l.due_at IS NULL OR l.due_at > excluded.due_at;
END $$;
--> statement-breakpoint
-- Raises the entries of the given lanes to their oldest open schedule, or to null when none is open or the account is
-- not active. Returns the lanes whose entry is now right, with it.
--
-- Two kinds of lanes are left out. Those that another transaction has locked (a create holds the account): waiting here
-- would hold up everybody behind. And those with a firing schedule: releasing it lowers nothing.
--
-- Two statements, under READ COMMITTED: the second one has a snapshot that is younger than the locks of the first.
CREATE OR REPLACE FUNCTION raise_lanes(p_accounts uuid[], p_envs text[])
RETURNS TABLE (account_id uuid, env text, due_at timestamptz) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
  v_accounts uuid[];
  v_envs text[];
  v_shards smallint[];
BEGIN
  SELECT array_agg(k.account_id), array_agg(k.env), array_agg(DISTINCT k.shard) INTO v_accounts, v_envs, v_shards
    FROM (
      SELECT l.account_id, l.env, l.shard
      FROM unnest(p_accounts, p_envs) w(account_id, env)
      JOIN lanes l ON l.account_id = w.account_id AND l.env = w.env
      JOIN accounts a ON a.id = l.account_id
      FOR NO KEY UPDATE OF a, l SKIP LOCKED) k;

  RETURN QUERY
  WITH firsts AS MATERIALIZED (
    SELECT w.account_id, w.env, CASE WHEN a.status = 'active' THEN (
      SELECT s.next_attempt_at FROM schedules s
      WHERE s.account_id = w.account_id AND s.env = w.env AND s.status IN ('scheduled', 'failed')
      ORDER BY s.next_attempt_at, s.id LIMIT 1) END AS due_at
    FROM unnest(v_accounts, v_envs) w(account_id, env) JOIN accounts a ON a.id = w.account_id
    -- Read once and not once per lane: no index leads from a lane to its firing schedules.
    WHERE (w.account_id, w.env) NOT IN (
      SELECT s.account_id, s.env FROM schedules s WHERE s.status = 'firing' AND s.shard = ANY (v_shards))
  ), raised AS (
    UPDATE lanes l SET due_at = f.due_at FROM firsts f
    WHERE l.account_id = f.account_id AND l.env = f.env AND l.due_at IS DISTINCT FROM f.due_at
  )
  SELECT f.account_id, f.env, f.due_at::timestamptz FROM firsts f;
END $$;
--> statement-breakpoint
-- One step of a walk over all lanes with open schedules, ordered by account and environment: at most p_limit lanes
-- after the given one. For active accounts it enters lanes that are missing in the calendar and lowers entries that are
-- too late.
--
-- missing, late           how many there were of each
-- next_account, next_env  the lane after which the next step begins; null at the end of the walk
CREATE OR REPLACE FUNCTION audit_lanes(
  p_account uuid, p_env text, p_limit integer,
  OUT missing integer, OUT late integer, OUT next_account uuid, OUT next_env text
) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  WITH RECURSIVE walk AS (
    (SELECT s.account_id, s.env, s.next_attempt_at, 1 AS n FROM schedules s
      WHERE s.status IN ('scheduled', 'failed') AND (s.account_id, s.env) > (p_account, p_env)
      ORDER BY s.account_id, s.env, s.next_attempt_at, s.id LIMIT 1)
    UNION ALL
    SELECT f.*, w.n + 1 FROM walk w CROSS JOIN LATERAL (
      SELECT s.account_id, s.env, s.next_attempt_at FROM schedules s
      WHERE s.status IN ('scheduled', 'failed') AND (s.account_id, s.env) > (w.account_id, w.env)
      ORDER BY s.account_id, s.env, s.next_attempt_at, s.id LIMIT 1) f
    WHERE w.n < p_limit
  ), wrong AS MATERIALIZED (
    SELECT w.account_id, w.env, a.shard, w.next_attempt_at, l.due_at IS NOT NULL AS is_late
    FROM walk w JOIN accounts a ON a.id = w.account_id
    LEFT JOIN lanes l ON l.account_id = w.account_id AND l.env = w.env
    WHERE a.status || '' = 'active' AND (l.due_at IS NULL OR l.due_at > w.next_attempt_at)
  ), lowered AS (
    INSERT INTO lanes AS l (account_id, env, shard, due_at)
    SELECT w.account_id, w.env, w.shard, w.next_attempt_at FROM wrong w ORDER BY w.account_id, w.env
    ON CONFLICT (account_id, env) DO UPDATE SET due_at = least(l.due_at, excluded.due_at)
  )
  SELECT count(*) FILTER (WHERE NOT w.is_late), count(*) FILTER (WHERE w.is_late),
      (SELECT e.account_id FROM walk e WHERE e.n = p_limit), (SELECT e.env FROM walk e WHERE e.n = p_limit)
    INTO missing, late, next_account, next_env FROM wrong w;
END $$;
--> statement-breakpoint
-- The payload of the NOTIFY that announces schedules of one lane that are due soon: shard and id of the earliest one,
-- account, environment, its instant in epoch ms, and how many they are.
CREATE OR REPLACE FUNCTION due_notice(p_shard smallint, p_id uuid, p_account uuid, p_env text, p_at timestamptz, p_n integer)
RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws(':', p_shard, p_id, p_account, p_env, (extract(epoch FROM p_at) * 1000)::bigint, p_n)
$$;
--> statement-breakpoint
-- Functions: creating and finding schedules

-- The shard of an account that may create schedules; otherwise refusal says why it may not:
--   inactive  there is no such active account
--   stale     p_plan is not its plan, or p_key (null: none) was revoked. Both are what the caller has cached
--
-- FOR SHARE waits for a transaction that deactivates or deletes the account, so that no schedule is created after it.
CREATE OR REPLACE FUNCTION find_creating_account(p_account uuid, p_key uuid, p_plan text, OUT refusal text, OUT shard smallint)
LANGUAGE plpgsql AS $$
DECLARE
  v_plan text;
BEGIN
  SELECT a.shard, a.plan INTO shard, v_plan FROM accounts a WHERE a.id = p_account AND a.status = 'active' FOR SHARE;
  IF NOT FOUND THEN
    refusal := 'inactive';
  ELSIF p_plan <> v_plan
    OR p_key IS NOT NULL AND NOT EXISTS (SELECT FROM api_keys k WHERE k.id = p_key AND k.revoked_at IS NULL) THEN
    refusal := 'stale';
  END IF;
END $$;
--> statement-breakpoint
-- The schedule that holds an idempotency key, as the answer that a repeated create gets. No row when the key is free.
-- mismatch: the stored request differs from this one, whose hash is p_request_hash. over_limit: the month has more than
-- p_quota schedules.
CREATE OR REPLACE FUNCTION find_replayed_schedule(
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
--> statement-breakpoint
-- Creates one schedule, or says why not. The checks run in this order, and the first that applies decides: the account
-- may create (find_creating_account), the idempotency key is free, the time is in the future, the caller's rejection,
-- the quota.
--
-- p_fire_at            null means p_fire_in_ms from now, where null is 0
-- p_early              whether to fire early; null takes the account's setting, or p_early_default where there is none
-- p_sealed             sealed headers and payload; null when there are none
-- p_request_hash       keyed hash of the request; compared with the stored one when the idempotency key is known
-- p_rejection          what the caller found wrong (an error code), or null
-- p_quota              schedules a month above which over_limit is true
-- p_grace              schedules a month above which nothing is created
-- p_notify_horizon_ms  dispatchers are notified of a schedule that is due within this
-- p_key, p_plan        the cached credential: API key (null: none) and plan, checked here; null when nothing is cached
--
-- outcome is one of: created, replayed (the idempotency key is known; mismatch: with another request), inactive, stale
-- (the cached credential no longer holds), past, rejected, quota. All other columns are null unless created or replayed.
--
-- plpgsql and not one CTE, because each of its statements takes a new snapshot: a row that another transaction
-- committed while this one waited for the row of `usage` must be seen.
CREATE OR REPLACE FUNCTION create_schedule(
  p_account uuid, p_env text, p_id uuid, p_fire_at timestamptz, p_fire_in_ms bigint, p_early boolean,
  p_early_default boolean, p_target_url text, p_origin text, p_method text, p_sealed bytea,
  p_payload_size integer, p_idempotency_key text, p_request_hash bytea, p_replay_of uuid, p_rejection text,
  p_quota integer, p_grace integer, p_notify_horizon_ms integer, p_key uuid, p_plan text,
  OUT outcome text, OUT id uuid, OUT fire_at timestamptz, OUT status text, OUT over_limit boolean, OUT mismatch boolean
) LANGUAGE plpgsql AS $$
DECLARE
  v_shard smallint;
  v_now timestamptz(3);
  v_period text;
  v_fire_at timestamptz(3);
  v_early boolean;
  v_used integer;
BEGIN
  SELECT f.refusal, f.shard INTO outcome, v_shard FROM find_creating_account(p_account, p_key, p_plan) f;
  IF outcome IS NOT NULL THEN
    RETURN;
  END IF;

  IF p_idempotency_key IS NOT NULL THEN
    SELECT f.* INTO outcome, id, fire_at, status, over_limit, mismatch
      FROM find_replayed_schedule(p_account, p_env, p_idempotency_key, p_request_hash, p_quota) f;
    IF outcome IS NOT NULL THEN
      RETURN;
    END IF;
  END IF;

  -- Rounded up to whole milliseconds, as every fire_at is: "now" must not come out earlier than the clock.
  v_now := date_trunc('milliseconds', clock_timestamp() + interval '999 microseconds');
  IF p_fire_at <= clock_timestamp() THEN
    outcome := 'past';
    RETURN;
  END IF;
  IF p_rejection IS NOT NULL THEN
    outcome := 'rejected';
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

  v_fire_at := coalesce(p_fire_at, v_now + coalesce(p_fire_in_ms, 0) * interval '1 millisecond');
  v_early := coalesce(p_early, (SELECT r.early_fire FROM relay_settings r WHERE r.account_id = p_account), p_early_default);
  INSERT INTO schedules (
    id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin,
    created_at, updated_at)
  VALUES (
    p_id, p_account, p_env, v_shard, v_early, v_fire_at, v_fire_at, p_payload_size,
    coalesce(octet_length(p_sealed), 0), p_origin, v_now, v_now);

  -- raise_lanes needs the account's row, which an earlier statement has locked: what is read here holds until the commit.
  IF NOT EXISTS (SELECT FROM lanes l WHERE l.account_id = p_account AND l.env = p_env AND l.due_at <= v_fire_at) THEN
    PERFORM lower_lane(p_account, p_env, v_shard, v_fire_at);
  END IF;

  -- Only for what the dispatchers may have read past already: NOTIFY takes a lock of the whole server at commit.
  IF v_fire_at <= clock_timestamp() + p_notify_horizon_ms * interval '1 millisecond' THEN
    PERFORM pg_notify('stopwatch_due', due_notice(v_shard, p_id, p_account, p_env, v_fire_at, 1));
  END IF;

  outcome := 'created';
  id := p_id;
  fire_at := v_fire_at;
  status := 'scheduled';
  over_limit := v_used > p_quota;
  mismatch := false;
END $$;
--> statement-breakpoint
-- Creates many schedules of one account, each by the same checks and in the same order as create_schedule. The arrays
-- have one element for each. No two of them may have the same idempotency key.
--
-- p_fire_ats       null means p_fire_ins (ms) from now, where null is 0
-- p_contents       the sealed contents, one after the other. In an array, each would be unescaped byte by byte
-- p_sealed_sizes   bytes of each; 0 when there is nothing to seal
-- p_hashes         base64
-- p_rejected       whether the caller rejects the request, for which create_schedule has p_rejection
-- p_stored, p_last a transaction may call this several times, for slices of one list. The last call lowers the lane and
--                  notifies the dispatchers for all of them: p_stored has the ids that the other calls created
--
-- Returns one row for each schedule, numbered by n from 1. One row with n = 0 means that nothing was created: the
-- account is inactive, or the cached credential (p_key, p_plan) is stale.
--
-- Every create locks the row of `usage` before its first insert. While this function has that lock, no idempotency key
-- of the month can appear. A key can appear when the month changes: then this is a unique violation or a deadlock, and
-- the caller tries again. Texts are taken from their arrays only at the insert, so that no step before it copies them.
CREATE OR REPLACE FUNCTION create_schedules(
  p_account uuid, p_env text, p_key uuid, p_plan text, p_early_default boolean, p_grace integer,
  p_notify_horizon_ms integer, p_ids uuid[], p_fire_ats timestamptz[], p_fire_ins bigint[], p_earlies boolean[],
  p_target_urls text[], p_origins text[], p_methods text[], p_contents bytea, p_sealed_sizes integer[],
  p_payload_sizes integer[], p_keys text[], p_hashes text[], p_replay_ofs uuid[], p_rejected boolean[], p_stored uuid[],
  p_last boolean
) RETURNS TABLE (n integer, outcome text, id uuid, fire_at timestamptz, status text)
-- A plan that was made while the tables were empty must not scan them when they are full.
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  v_refusal text;
  v_shard smallint;
  v_clock timestamptz;
  v_now timestamptz(3);
  v_period text;
  v_early boolean;
  v_used integer;
  v_first uuid;
  v_first_at timestamptz(3);
  v_soon integer;
BEGIN
  SELECT f.refusal, f.shard INTO v_refusal, v_shard FROM find_creating_account(p_account, p_key, p_plan) f;
  IF v_refusal IS NOT NULL THEN
    RETURN QUERY SELECT 0, v_refusal, NULL::uuid, NULL::timestamptz, NULL;
    RETURN;
  END IF;
  IF cardinality(p_ids) = 0 THEN
    RETURN;
  END IF;

  v_period := to_char(clock_timestamp() AT TIME ZONE 'utc', 'YYYYMM');
  INSERT INTO usage AS u (account_id, env, period, scheduled) VALUES (p_account, p_env, v_period, 0)
    ON CONFLICT (account_id, env, period) DO UPDATE SET scheduled = u.scheduled
    RETURNING u.scheduled INTO v_used;
  v_clock := clock_timestamp();
  v_now := date_trunc('milliseconds', v_clock + interval '999 microseconds');
  v_early := coalesce((SELECT r.early_fire FROM relay_settings r WHERE r.account_id = p_account), p_early_default);

  RETURN QUERY
  WITH found AS (
    SELECT i.n::integer AS n, coalesce(k.id, i.id) AS id, k.status,
      coalesce(k.fire_at, i.fire_at, v_now + coalesce(i.fire_in, 0) * interval '1 millisecond') AS fire_at,
      CASE WHEN k.id IS NOT NULL THEN 'replayed' WHEN i.fire_at <= v_clock THEN 'past' WHEN i.rejected THEN 'rejected' END
        AS outcome, i.size
    FROM unnest(p_ids, p_fire_ats, p_fire_ins, p_keys, p_rejected, p_sealed_sizes) WITH ORDINALITY
      AS i(id, fire_at, fire_in, key, rejected, size, n)
    LEFT JOIN LATERAL (
      SELECT s.id, s.fire_at, s.status FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
      WHERE r.account_id = p_account AND r.env = p_env AND r.idempotency_key = i.key LIMIT 1) k ON true
  ),
  judged AS MATERIALIZED (
    SELECT f.n, f.id, f.fire_at, coalesce(f.status, 'scheduled') AS status,
      CASE WHEN f.outcome IS NOT NULL THEN f.outcome
        WHEN count(*) FILTER (WHERE f.outcome IS NULL) OVER (ORDER BY f.n) <= p_grace - v_used THEN 'created'
        ELSE 'quota' END AS outcome,
      f.size, (sum(f.size) OVER (ORDER BY f.n))::integer AS sealed_end
    FROM found f
  ),
  requests AS (
    INSERT INTO schedule_requests (
      schedule_id, account_id, env, target_url, method, sealed, idempotency_key, request_hash, replay_of,
      created_at)
    SELECT j.id, p_account, p_env, p_target_urls[j.n], p_methods[j.n],
      CASE WHEN j.size > 0 THEN substring(p_contents FROM j.sealed_end - j.size + 1 FOR j.size) END,
      p_keys[j.n], decode(p_hashes[j.n], 'base64'), p_replay_ofs[j.n], v_now
    FROM judged j WHERE j.outcome = 'created'
  ),
  stored AS (
    INSERT INTO schedules (
      id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin,
      created_at, updated_at)
    SELECT j.id, p_account, p_env, v_shard, coalesce(p_earlies[j.n], v_early), j.fire_at, j.fire_at,
      p_payload_sizes[j.n], j.size, p_origins[j.n], v_now, v_now
    FROM judged j WHERE j.outcome = 'created'
  ),
  counted AS (
    UPDATE usage u SET scheduled = u.scheduled + created.n
    FROM (SELECT count(*)::integer AS n FROM judged j WHERE j.outcome = 'created') created
    WHERE u.account_id = p_account AND u.env = p_env AND u.period = v_period AND created.n > 0
  )
  SELECT j.n, j.outcome, j.id, j.fire_at, j.status FROM judged j;

  IF NOT p_last THEN
    RETURN;
  END IF;
  -- Once for all slices: the row of the lane stays locked until the commit.
  SELECT (array_agg(s.id ORDER BY s.fire_at, s.id))[1], min(s.fire_at),
      count(*) FILTER (WHERE s.fire_at <= clock_timestamp() + p_notify_horizon_ms * interval '1 millisecond')
    INTO v_first, v_first_at, v_soon
    FROM unnest(p_stored || p_ids) AS i(id) JOIN schedules s ON s.id = i.id;
  IF NOT EXISTS (SELECT FROM lanes l WHERE l.account_id = p_account AND l.env = p_env AND l.due_at <= v_first_at) THEN
    PERFORM lower_lane(p_account, p_env, v_shard, v_first_at) WHERE v_first IS NOT NULL;
  END IF;
  IF v_soon > 0 THEN
    PERFORM pg_notify('stopwatch_due', due_notice(v_shard, v_first, p_account, p_env, v_first_at, v_soon));
  END IF;
END $$;
--> statement-breakpoint
-- Any p_max requests of a lane whose target matches an ILIKE pattern. A function because it needs planner settings: the
-- statistics say nothing about one account's targets, and only the plan that reads the search index is never slow.
CREATE OR REPLACE FUNCTION matched_requests(p_account uuid, p_env text, p_pattern text, p_max integer)
RETURNS TABLE (schedule_id uuid, created_at timestamptz(3)) LANGUAGE plpgsql STABLE ROWS 1000
SET enable_seqscan = off SET enable_bitmapscan = on SET max_parallel_workers_per_gather = 0 AS $$
BEGIN
  RETURN QUERY SELECT r.schedule_id, r.created_at FROM schedule_requests r
    WHERE uuid_send(r.account_id) = uuid_send(p_account) AND r.target_url ILIKE p_pattern AND r.env = p_env LIMIT p_max;
END $$;
--> statement-breakpoint
-- Functions: partitions of attempts

-- Makes the missing daily partitions of `attempts` for the days [p_from, p_from + p_days), UTC. Returns how many it
-- made. At most 100 days at once.
--
-- It works with the privileges of its owner, so that the role of the service need not be able to create tables. So names
-- are looked up in pg_catalog alone: nobody can put a function of their own in the way.
--
-- Attempts of such a day may have gone to the default partition before. They move to the new partition first, because
-- Postgres refuses a partition for rows that the default partition holds. ATTACH PARTITION does not wait for readers or
-- writers of the other partitions.
CREATE OR REPLACE FUNCTION make_attempt_partitions(p_from date, p_days integer) RETURNS integer LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_day date;
  v_name text;
  v_from timestamptz;
  v_to timestamptz;
  v_made integer := 0;
BEGIN
  IF p_days > 100 THEN
    RAISE EXCEPTION 'at most 100 partitions are made at once, not %', p_days USING ERRCODE = 'invalid_parameter_value';
  END IF;
  FOR v_day IN SELECT p_from + d FROM generate_series(0, p_days - 1) d LOOP
    v_name := 'attempts_' || to_char(v_day, 'YYYYMMDD');
    CONTINUE WHEN to_regclass('public.' || v_name) IS NOT NULL;
    v_from := v_day::timestamp AT TIME ZONE 'utc';
    v_to := (v_day + 1)::timestamp AT TIME ZONE 'utc';
    EXECUTE format('CREATE TABLE public.%I (LIKE public.attempts INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', v_name);
    LOCK TABLE public.attempts_default IN ACCESS EXCLUSIVE MODE;
    EXECUTE format(
      'WITH moved AS (DELETE FROM public.attempts_default WHERE attempted_at >= $1 AND attempted_at < $2 RETURNING *)
       INSERT INTO public.%I SELECT * FROM moved', v_name) USING v_from, v_to;
    EXECUTE format('ALTER TABLE public.attempts ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', v_name, v_from, v_to);
    v_made := v_made + 1;
  END LOOP;
  RETURN v_made;
END $$;
--> statement-breakpoint
-- Drops the oldest daily partition of `attempts` when all its attempts are more than p_days + 1 days old (one day at least).
-- Returns its name; NULL when there is none.
--
-- It works with the privileges of its owner, so that the role of the service need not be able to drop tables. So names are
-- looked up in pg_catalog alone.
CREATE OR REPLACE FUNCTION drop_attempt_partition(p_days integer) RETURNS text LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_name text;
BEGIN
  SELECT c.relname INTO v_name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'public.attempts'::regclass AND c.relname ~ '^attempts_[0-9]{8}$'
    AND to_date(right(c.relname, 8), 'YYYYMMDD') + greatest(p_days, 1) + 2 <= (now() AT TIME ZONE 'utc')::date
  ORDER BY c.relname LIMIT 1;
  IF v_name IS NOT NULL THEN
    EXECUTE format('DROP TABLE IF EXISTS public.%I', v_name);
  END IF;
  RETURN v_name;
END $$;
--> statement-breakpoint
REVOKE EXECUTE ON FUNCTION make_attempt_partitions(date, integer), drop_attempt_partition(integer) FROM PUBLIC;
--> statement-breakpoint
-- Triggers

-- Trigger function of accounts: enters the lanes of an account that became active again. Schedules that are firing
-- count too, because releasing them lowers nothing.
CREATE OR REPLACE FUNCTION wake_lanes() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM lower_lane(NEW.id, e.env, NEW.shard, first.at)
    FROM (VALUES ('live'), ('test')) e(env)
    CROSS JOIN LATERAL (
      SELECT least(
        (SELECT s.next_attempt_at FROM schedules s
          WHERE s.account_id = NEW.id AND s.env = e.env AND s.status IN ('scheduled', 'failed')
          ORDER BY s.next_attempt_at, s.id LIMIT 1),
        (SELECT min(s.next_attempt_at) FROM schedules s
          WHERE s.shard = NEW.shard AND s.status = 'firing' AND s.account_id = NEW.id AND s.env = e.env)) AS at) first
    WHERE first.at IS NOT NULL;
  RETURN NULL;
END $$;

CREATE TRIGGER accounts_wake_lanes AFTER UPDATE OF status ON accounts FOR EACH ROW
  WHEN (NEW.status = 'active' AND OLD.status <> 'active') EXECUTE FUNCTION wake_lanes();
--> statement-breakpoint
-- Trigger function of schedules: lowers the lane of a schedule whose next attempt is due earlier than before, or again.
CREATE OR REPLACE FUNCTION lower_lane_of_schedule() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lower_lane(NEW.account_id, NEW.env, NEW.shard, NEW.next_attempt_at);
  RETURN NULL;
END $$;

-- A claim and its release leave next_attempt_at as it is. They need no entry, because the lane of a firing schedule is not
-- raised.
CREATE TRIGGER schedules_lower_lane AFTER UPDATE OF next_attempt_at ON schedules FOR EACH ROW
  WHEN (NEW.next_attempt_at < OLD.next_attempt_at OR (OLD.next_attempt_at IS NULL AND NEW.next_attempt_at IS NOT NULL))
  EXECUTE FUNCTION lower_lane_of_schedule();
--> statement-breakpoint
-- Trigger function of schedules: enters a live schedule that died, for the notice to its owner, in the transaction that
-- records the death.
CREATE OR REPLACE FUNCTION enter_dead_schedule() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dead_schedules (schedule_id, account_id, died_at) VALUES (NEW.id, NEW.account_id, clock_timestamp())
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

-- Other updates pay for the condition alone.
CREATE TRIGGER schedules_enter_dead AFTER UPDATE OF status ON schedules FOR EACH ROW
  WHEN (NEW.status = 'dead' AND OLD.status <> 'dead' AND NEW.env = 'live') EXECUTE FUNCTION enter_dead_schedule();
--> statement-breakpoint
-- Trigger function of schedule_requests. Counts deleted schedules per lane, whoever deletes them: `usage` minus these
-- is how many schedules a lane has.
CREATE OR REPLACE FUNCTION count_deleted_schedules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deleted_schedules AS d (account_id, env, n)
    SELECT g.account_id, g.env, count(*) FROM gone g JOIN accounts a ON a.id = g.account_id
    GROUP BY g.account_id, g.env ORDER BY g.account_id, g.env
    ON CONFLICT (account_id, env) DO UPDATE SET n = d.n + excluded.n;
  RETURN NULL;
END $$;

CREATE TRIGGER schedule_requests_deleted AFTER DELETE ON schedule_requests REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_schedules();
--> statement-breakpoint
-- Trigger function of audit_log: rows are only ever added.
CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is never changed' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
