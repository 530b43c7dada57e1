-- The schema that the migrations make, without the functions, which are in db/functions, and without the daily
-- partitions of attempts. To be read, not to be run. Written by "npm run schema:dump": do not edit it.

CREATE EXTENSION btree_gin;
CREATE EXTENSION pg_trgm;

CREATE TABLE account_counts (
  account_id uuid NOT NULL,
  env text NOT NULL,
  hour timestamp(3) with time zone NOT NULL,
  kind text NOT NULL,
  bucket smallint NOT NULL,
  n bigint NOT NULL,
  min_ms bigint,
  max_ms bigint,
  CONSTRAINT account_counts_account_id_env_hour_kind_bucket_pk PRIMARY KEY (account_id, env, hour, kind, bucket),
  CONSTRAINT account_counts_kind_known CHECK (kind = ANY (ARRAY['outcome'::text, 'offset'::text]))
);
CREATE INDEX account_counts_outcomes ON account_counts USING btree (account_id, env, hour) WHERE kind = 'outcome'::text;

CREATE TABLE accounts (
  id uuid NOT NULL,
  email text NOT NULL,
  email_verified_at timestamp(3) with time zone,
  name text,
  avatar_url text,
  plan text NOT NULL,
  granted_plan text DEFAULT 'free'::text NOT NULL,
  status text DEFAULT 'active'::text NOT NULL,
  shard smallint GENERATED ALWAYS AS ((get_byte(uuid_send(id), 15) & 63)) STORED NOT NULL,
  activated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  notices boolean DEFAULT true NOT NULL,
  deleted_at timestamp(3) with time zone,
  erased_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  opened_by_provider boolean DEFAULT false NOT NULL,
  CONSTRAINT accounts_pkey PRIMARY KEY (id),
  CONSTRAINT accounts_email_form CHECK (erased_at IS NOT NULL OR (email COLLATE "C") ~ '^[!-?[-~]+@[a-z0-9.-]+$'::text),
  CONSTRAINT accounts_granted_plan_known CHECK (granted_plan = ANY (ARRAY['free'::text, 'indie'::text])),
  CONSTRAINT accounts_plan_known CHECK (plan = ANY (ARRAY['free'::text, 'indie'::text])),
  CONSTRAINT accounts_status_known CHECK (status = ANY (ARRAY['active'::text, 'deactivated'::text, 'deleted'::text]))
);
CREATE UNIQUE INDEX accounts_email_key ON accounts USING btree (email) WHERE status <> 'deleted'::text;
CREATE INDEX accounts_inactive ON accounts USING btree (id) WHERE status <> 'active'::text AND erased_at IS NULL;
CREATE INDEX accounts_to_erase ON accounts USING btree (deleted_at, id) WHERE status = 'deleted'::text AND erased_at IS NULL;
CREATE TRIGGER accounts_wake_lanes AFTER UPDATE OF status ON accounts FOR EACH ROW WHEN (new.status = 'active'::text AND old.status <> 'active'::text) EXECUTE FUNCTION wake_lanes();

CREATE TABLE api_keys (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  env text NOT NULL,
  name text NOT NULL,
  hash bytea NOT NULL,
  last4 text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT api_keys_env_known CHECK (env = ANY (ARRAY['live'::text, 'test'::text])),
  CONSTRAINT api_keys_hash_size CHECK (octet_length(hash) = 32)
);
CREATE INDEX api_keys_account ON api_keys USING btree (account_id, created_at);
CREATE UNIQUE INDEX api_keys_hash_key ON api_keys USING btree (hash);
CREATE INDEX api_keys_revoked ON api_keys USING btree (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE TABLE attempts (
  schedule_id uuid NOT NULL,
  attempt integer NOT NULL,
  attempted_at timestamp(3) with time zone NOT NULL,
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
  via text,
  CONSTRAINT attempts_schedule_id_attempt_attempted_at_pk PRIMARY KEY (schedule_id, attempt, attempted_at),
  CONSTRAINT attempts_outcome_known CHECK (outcome = ANY (ARRAY['delivered'::text, 'rejected'::text, 'unreachable'::text, 'blocked'::text, 'interrupted'::text])),
  CONSTRAINT attempts_status_code_when_answered CHECK ((status_code IS NOT NULL) = (outcome = ANY (ARRAY['delivered'::text, 'rejected'::text])))
) PARTITION BY RANGE (attempted_at);
CREATE INDEX attempts_delivered ON ONLY attempts USING btree (account_id, env, attempted_at, schedule_id, attempt) WHERE outcome = 'delivered'::text;
CREATE INDEX attempts_late ON ONLY attempts USING btree (account_id, env, late_ms, schedule_id, attempt, attempted_at);
CREATE INDEX attempts_undelivered ON ONLY attempts USING btree (account_id, env, attempted_at, schedule_id, attempt, status_code) WHERE outcome <> 'delivered'::text;

CREATE TABLE attempts_default PARTITION OF attempts DEFAULT;

CREATE TABLE audit_log (
  id uuid NOT NULL,
  at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  actor text NOT NULL,
  actor_id uuid,
  action text NOT NULL,
  subject_id uuid NOT NULL,
  before jsonb NOT NULL,
  after jsonb NOT NULL,
  request_id text,
  CONSTRAINT audit_log_pkey PRIMARY KEY (id),
  CONSTRAINT audit_log_actor_known CHECK ((actor = 'admin'::text) = (actor_id IS NOT NULL))
);
CREATE INDEX audit_log_at ON audit_log USING btree (at, id);
CREATE INDEX audit_log_subject ON audit_log USING btree (subject_id, at, id);
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

CREATE TABLE counted_hosts (
  account_id uuid NOT NULL,
  env text NOT NULL,
  hour timestamp(3) with time zone NOT NULL,
  hosts text[] NOT NULL,
  CONSTRAINT counted_hosts_account_id_env_hour_pk PRIMARY KEY (account_id, env, hour),
  CONSTRAINT counted_hosts_at_most_100 CHECK (cardinality(hosts) >= 1 AND cardinality(hosts) <= 100)
);

CREATE TABLE customer_deletions (
  customer_id text NOT NULL,
  tries integer DEFAULT 0 NOT NULL,
  next_try_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  queued_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT customer_deletions_pkey PRIMARY KEY (customer_id)
);
CREATE INDEX customer_deletions_due ON customer_deletions USING btree (next_try_at);

CREATE TABLE dead_schedules (
  schedule_id uuid NOT NULL,
  account_id uuid NOT NULL,
  died_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT dead_schedules_pkey PRIMARY KEY (schedule_id)
);

CREATE TABLE death_groups (
  account_id uuid NOT NULL,
  waiting jsonb,
  last_death_at timestamp(3) with time zone,
  last_notice_at timestamp(3) with time zone,
  interval_ms bigint,
  due_at timestamp(3) with time zone,
  CONSTRAINT death_groups_pkey PRIMARY KEY (account_id),
  CONSTRAINT death_groups_due_while_waiting CHECK ((due_at IS NULL) = (waiting IS NULL))
);
CREATE INDEX death_groups_due ON death_groups USING btree (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE deleted_schedules (
  account_id uuid NOT NULL,
  env text NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT deleted_schedules_account_id_env_pk PRIMARY KEY (account_id, env),
  CONSTRAINT deleted_schedules_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT deleted_schedules_env_known CHECK (env = ANY (ARRAY['live'::text, 'test'::text]))
);

CREATE TABLE dispatchers (
  id uuid NOT NULL,
  host text NOT NULL,
  pid integer NOT NULL,
  version text NOT NULL,
  started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  beat_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  stopped_at timestamp(3) with time zone,
  skew_ms real,
  system_identifier bigint,
  timeline bigint,
  process text,
  ended_at timestamp(3) with time zone,
  CONSTRAINT dispatchers_pkey PRIMARY KEY (id)
);
CREATE INDEX dispatchers_ended ON dispatchers USING btree (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE heartbeats (
  dispatcher_id uuid NOT NULL,
  beat bigint NOT NULL,
  beat_at timestamp(3) with time zone NOT NULL,
  skew_ms real,
  system_identifier bigint,
  timeline bigint,
  recovered_to timestamp(3) with time zone,
  open_from timestamp(3) with time zone,
  database_oid bigint,
  table_oid bigint,
  xact bigint,
  CONSTRAINT heartbeats_dispatcher_id_beat_pk PRIMARY KEY (dispatcher_id, beat)
);
CREATE INDEX heartbeats_newest ON heartbeats USING btree (beat_at);

CREATE TABLE holds (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  reason text NOT NULL,
  system_identifier bigint,
  timeline bigint,
  newest_beat_at timestamp(3) with time zone,
  began_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  ended_at timestamp(3) with time zone,
  choice text,
  send_from timestamp(3) with time zone,
  database_oid bigint,
  table_oid bigint,
  CONSTRAINT holds_pkey PRIMARY KEY (id),
  CONSTRAINT holds_choice_known CHECK (choice = ANY (ARRAY['send_all'::text, 'send_from'::text, 'continued'::text])),
  CONSTRAINT holds_ended_by_choice CHECK ((ended_at IS NULL) = (choice IS NULL)),
  CONSTRAINT holds_instant_with_choice CHECK ((send_from IS NOT NULL) = COALESCE(choice = 'send_from'::text, false)),
  CONSTRAINT holds_reason_known CHECK (reason = ANY (ARRAY['older_timeline'::text, 'restored'::text, 'operator'::text]))
);
CREATE UNIQUE INDEX holds_open ON holds USING btree ((ended_at IS NULL)) WHERE ended_at IS NULL;

CREATE TABLE host_counts (
  account_id uuid NOT NULL,
  env text NOT NULL,
  hour timestamp(3) with time zone NOT NULL,
  host text NOT NULL,
  code smallint NOT NULL,
  n bigint NOT NULL,
  dead bigint NOT NULL,
  first_at timestamp(3) with time zone NOT NULL,
  last_at timestamp(3) with time zone NOT NULL,
  first_due timestamp(3) with time zone NOT NULL,
  last_due timestamp(3) with time zone NOT NULL,
  last_error text,
  last_error_at timestamp(3) with time zone,
  CONSTRAINT host_counts_account_id_env_hour_host_code_pk PRIMARY KEY (account_id, env, hour, host, code)
);

CREATE TABLE identities (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  provider text NOT NULL,
  provider_account_id text NOT NULL,
  account_id uuid NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT identities_provider_provider_account_id_pk PRIMARY KEY (provider, provider_account_id),
  CONSTRAINT identities_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT identities_provider_known CHECK (provider = ANY (ARRAY['google'::text, 'github'::text]))
);
CREATE INDEX identities_account ON identities USING btree (account_id);
CREATE UNIQUE INDEX identities_id_key ON identities USING btree (id);

CREATE TABLE instance_secrets (
  name text NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT instance_secrets_pkey PRIMARY KEY (name)
);

CREATE TABLE lanes (
  account_id uuid NOT NULL,
  env text NOT NULL,
  shard smallint NOT NULL,
  due_at timestamp(3) with time zone,
  CONSTRAINT lanes_account_id_env_pk PRIMARY KEY (account_id, env),
  CONSTRAINT lanes_env_known CHECK (env = ANY (ARRAY['live'::text, 'test'::text]))
) WITH (autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05);
CREATE INDEX lanes_due ON lanes USING btree (shard, due_at, account_id, env) WHERE due_at IS NOT NULL;

CREATE UNLOGGED TABLE listen_exchanges (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  env text NOT NULL,
  schedule_id uuid NOT NULL,
  attempt integer NOT NULL,
  is_reserved boolean NOT NULL,
  path text NOT NULL,
  request bytea,
  state text DEFAULT 'waiting'::text NOT NULL,
  listener_id uuid,
  listener_epoch integer,
  deadline timestamp(3) with time zone NOT NULL,
  answer bytea,
  CONSTRAINT listen_exchanges_pkey PRIMARY KEY (id),
  CONSTRAINT listen_exchanges_answer_when_answered CHECK (answer IS NULL OR state = 'answered'::text),
  CONSTRAINT listen_exchanges_env_test CHECK (env = 'test'::text),
  CONSTRAINT listen_exchanges_handed_to_one CHECK ((state <> ALL (ARRAY['handed'::text, 'answered'::text])) OR listener_id IS NOT NULL),
  CONSTRAINT listen_exchanges_request_while_open CHECK ((request IS NOT NULL) = (state = ANY (ARRAY['waiting'::text, 'handed'::text]))),
  CONSTRAINT listen_exchanges_state_known CHECK (state = ANY (ARRAY['waiting'::text, 'handed'::text, 'answered'::text, 'over'::text]))
);
CREATE INDEX listen_exchanges_deadline ON listen_exchanges USING btree (deadline);
CREATE INDEX listen_exchanges_open ON listen_exchanges USING btree (account_id, id) WHERE state = ANY (ARRAY['waiting'::text, 'handed'::text]);

CREATE UNLOGGED TABLE listeners (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  scope text NOT NULL,
  paths text[] NOT NULL,
  epoch integer DEFAULT 1 NOT NULL,
  lease_until timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT listeners_pkey PRIMARY KEY (id),
  CONSTRAINT listeners_scope_known CHECK (scope = ANY (ARRAY['reserved'::text, 'all'::text]))
);
CREATE INDEX listeners_account ON listeners USING btree (account_id, lease_until);
CREATE INDEX listeners_lease ON listeners USING btree (lease_until);

CREATE TABLE notices (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  kind text NOT NULL,
  content jsonb NOT NULL,
  period text,
  level smallint,
  created_at timestamp(3) with time zone NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_try_at timestamp(3) with time zone NOT NULL,
  in_doubt_since timestamp(3) with time zone,
  outcome text,
  ended_at timestamp(3) with time zone,
  CONSTRAINT notices_pkey PRIMARY KEY (id),
  CONSTRAINT notices_ended_with_outcome CHECK ((ended_at IS NULL) = (outcome IS NULL)),
  CONSTRAINT notices_kind_known CHECK (kind = ANY (ARRAY['dead'::text, 'quota'::text, 'security'::text])),
  CONSTRAINT notices_level_known CHECK (level = ANY (ARRAY[80, 100, 110])),
  CONSTRAINT notices_outcome_known CHECK (outcome = ANY (ARRAY['sent'::text, 'given up'::text])),
  CONSTRAINT notices_quota_has_level CHECK ((kind = 'quota'::text) = (level IS NOT NULL AND period IS NOT NULL))
);
CREATE INDEX notices_created ON notices USING btree (created_at);
CREATE INDEX notices_of_account ON notices USING btree (account_id, outcome);
CREATE UNIQUE INDEX notices_quota_once ON notices USING btree (account_id, period, level) WHERE kind = 'quota'::text;
CREATE UNIQUE INDEX notices_security_collects ON notices USING btree (account_id) WHERE kind = 'security'::text AND attempts = 0 AND outcome IS NULL;
CREATE INDEX notices_waiting ON notices USING btree (next_try_at) WHERE outcome IS NULL;

CREATE TABLE operations (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  env text NOT NULL,
  shard smallint NOT NULL,
  action text NOT NULL,
  status text DEFAULT 'running'::text NOT NULL,
  filter jsonb,
  schedule_ids uuid[],
  accepted_at timestamp(3) with time zone NOT NULL,
  total integer NOT NULL,
  total_capped boolean DEFAULT false NOT NULL,
  idempotency_key text,
  request_hash bytea NOT NULL,
  place_at timestamp(3) with time zone,
  place_id uuid,
  scanned bigint DEFAULT 0 NOT NULL,
  acted bigint DEFAULT 0 NOT NULL,
  left_alone jsonb DEFAULT '{}'::jsonb NOT NULL,
  failures smallint DEFAULT 0 NOT NULL,
  error_code text,
  next_step_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  ended_at timestamp(3) with time zone,
  CONSTRAINT operations_pkey PRIMARY KEY (id),
  CONSTRAINT operations_action_known CHECK (action = ANY (ARRAY['cancel'::text, 'replay'::text])),
  CONSTRAINT operations_ended_unless_running CHECK ((ended_at IS NULL) = (status = 'running'::text)),
  CONSTRAINT operations_env_known CHECK (env = ANY (ARRAY['live'::text, 'test'::text])),
  CONSTRAINT operations_error_when_failed CHECK ((error_code IS NOT NULL) = (status = 'failed'::text)),
  CONSTRAINT operations_filter_or_ids CHECK ((filter IS NULL) <> (schedule_ids IS NULL)),
  CONSTRAINT operations_key_length CHECK (char_length(idempotency_key) >= 1 AND char_length(idempotency_key) <= 255),
  CONSTRAINT operations_place_whole CHECK ((place_at IS NULL) = (place_id IS NULL)),
  CONSTRAINT operations_status_known CHECK (status = ANY (ARRAY['running'::text, 'done'::text, 'stopped'::text, 'failed'::text]))
);
CREATE INDEX operations_ended ON operations USING btree (ended_at) WHERE ended_at IS NOT NULL;
CREATE UNIQUE INDEX operations_idempotency_key ON operations USING btree (account_id, env, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX operations_newest ON operations USING btree (account_id, env, accepted_at, id);
CREATE INDEX operations_running ON operations USING btree (shard, account_id, next_step_at) WHERE status = 'running'::text;

CREATE TABLE public_days (
  day timestamp(3) with time zone NOT NULL,
  bucket smallint NOT NULL,
  n bigint NOT NULL,
  on_time bigint NOT NULL,
  CONSTRAINT public_days_day_bucket_pk PRIMARY KEY (day, bucket)
);

CREATE TABLE recurrences (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  env text NOT NULL,
  shard smallint NOT NULL,
  key text NOT NULL,
  name text,
  status text DEFAULT 'active'::text NOT NULL,
  version bigint DEFAULT 1 NOT NULL,
  cron text NOT NULL,
  timezone text NOT NULL,
  on_clock_change text NOT NULL,
  overlap text NOT NULL,
  catch_up text NOT NULL,
  spread_ms integer NOT NULL,
  ends_at timestamp(3) with time zone,
  target_url text NOT NULL,
  origin text NOT NULL,
  method text NOT NULL,
  sealed bytea,
  payload_size_bytes integer NOT NULL,
  early_fire boolean,
  request_hash bytea NOT NULL,
  delivery jsonb,
  made_until timestamp(3) with time zone NOT NULL,
  open_from timestamp(3) with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  zone_data text NOT NULL,
  lead_ms integer NOT NULL,
  next_step_at timestamp(3) with time zone,
  left_out jsonb DEFAULT '[]'::jsonb NOT NULL,
  failures smallint DEFAULT 0 NOT NULL,
  pause_note text,
  paused_until timestamp(3) with time zone,
  created_by uuid NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT recurrences_pkey PRIMARY KEY (id),
  CONSTRAINT recurrences_catch_up_known CHECK (catch_up = ANY (ARRAY['latest'::text, 'none'::text])),
  CONSTRAINT recurrences_env_known CHECK (env = ANY (ARRAY['live'::text, 'test'::text])),
  CONSTRAINT recurrences_key_length CHECK (char_length(key) >= 1 AND char_length(key) <= 255),
  CONSTRAINT recurrences_method_known CHECK (method = ANY (ARRAY['GET'::text, 'POST'::text, 'PUT'::text, 'PATCH'::text, 'DELETE'::text])),
  CONSTRAINT recurrences_on_clock_change_known CHECK (on_clock_change = ANY (ARRAY['first'::text, 'second'::text, 'skip'::text])),
  CONSTRAINT recurrences_overlap_known CHECK (overlap = ANY (ARRAY['allow'::text, 'skip'::text])),
  CONSTRAINT recurrences_status_known CHECK (status = ANY (ARRAY['active'::text, 'paused'::text, 'ended'::text])),
  CONSTRAINT recurrences_step_while_active CHECK (status <> 'active'::text OR next_step_at IS NOT NULL)
);
CREATE INDEX recurrences_due ON recurrences USING btree (shard, next_step_at) WHERE next_step_at IS NOT NULL;
CREATE UNIQUE INDEX recurrences_key ON recurrences USING btree (account_id, env, key);
CREATE INDEX recurrences_newest ON recurrences USING btree (account_id, env, created_at, id);

CREATE TABLE relay_settings (
  account_id uuid NOT NULL,
  cps_limit integer,
  retry_attempts integer,
  retry_backoff_ms integer,
  retry_strategy text,
  early_fire boolean,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  test_deliveries_until timestamp(3) with time zone,
  CONSTRAINT relay_settings_pkey PRIMARY KEY (account_id),
  CONSTRAINT relay_settings_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT relay_settings_attempts_positive CHECK (retry_attempts >= 0),
  CONSTRAINT relay_settings_cps_positive CHECK (cps_limit >= 1),
  CONSTRAINT relay_settings_strategy_known CHECK (retry_strategy = ANY (ARRAY['exponential'::text, 'linear'::text, 'fixed'::text]))
);

CREATE UNLOGGED TABLE request_counts (
  minute integer NOT NULL,
  key text NOT NULL,
  n integer NOT NULL,
  CONSTRAINT request_counts_minute_key_pk PRIMARY KEY (minute, key)
) WITH (fillfactor=50);

CREATE TABLE schedule_requests (
  schedule_id uuid NOT NULL,
  account_id uuid NOT NULL,
  env text NOT NULL,
  target_url text COLLATE "C" NOT NULL,
  method text NOT NULL,
  sealed bytea STORAGE EXTERNAL,
  idempotency_key text,
  request_hash bytea NOT NULL,
  replay_of uuid,
  erased_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  operation_id uuid,
  created_by uuid,
  recurrence_id uuid,
  occurrence_at timestamp(3) with time zone,
  CONSTRAINT schedule_requests_pkey PRIMARY KEY (schedule_id),
  CONSTRAINT schedule_requests_env_known CHECK (env = ANY (ARRAY['live'::text, 'test'::text])),
  CONSTRAINT schedule_requests_key_length CHECK (char_length(idempotency_key) >= 1 AND char_length(idempotency_key) <= 255),
  CONSTRAINT schedule_requests_method_known CHECK (method = ANY (ARRAY['GET'::text, 'POST'::text, 'PUT'::text, 'PATCH'::text, 'DELETE'::text]))
);
CREATE INDEX schedule_requests_copies ON schedule_requests USING btree (account_id, env, replay_of, schedule_id) WHERE replay_of IS NOT NULL;
CREATE INDEX schedule_requests_host ON schedule_requests USING btree (account_id, env, split_part(target_url, '/'::text, 3), created_at, schedule_id);
CREATE UNIQUE INDEX schedule_requests_idempotency_key ON schedule_requests USING btree (account_id, env, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX schedule_requests_newest ON schedule_requests USING btree (account_id, env, created_at, schedule_id);
CREATE INDEX schedule_requests_operation ON schedule_requests USING btree (account_id, env, operation_id, created_at, schedule_id) WHERE operation_id IS NOT NULL;
CREATE INDEX schedule_requests_recurrence ON schedule_requests USING btree (account_id, env, recurrence_id, occurrence_at, schedule_id) WHERE recurrence_id IS NOT NULL;
CREATE INDEX schedule_requests_search ON schedule_requests USING gin (uuid_send(account_id), target_url gin_trgm_ops) WITH (fastupdate='on', gin_pending_list_limit='16384');
CREATE TRIGGER schedule_requests_deleted AFTER DELETE ON schedule_requests REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_schedules();

CREATE TABLE schedules (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  env text NOT NULL,
  shard smallint NOT NULL,
  status text DEFAULT 'scheduled'::text NOT NULL,
  version bigint DEFAULT 1 NOT NULL,
  early_fire boolean NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  interruptions smallint DEFAULT 0 NOT NULL,
  fire_at timestamp(3) with time zone NOT NULL,
  moved_to_now_at timestamp(3) with time zone,
  next_attempt_at timestamp(3) with time zone,
  claimed_by uuid,
  claimed_at timestamp(3) with time zone,
  claim_deadline timestamp(3) with time zone,
  fired_at timestamp(3) with time zone,
  offset_ms bigint,
  last_attempt_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  payload_size_bytes integer NOT NULL,
  sealed_bytes integer NOT NULL,
  origin text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  last_status_code smallint,
  last_error text,
  delivery jsonb,
  end_reason text,
  CONSTRAINT schedules_pkey PRIMARY KEY (id),
  CONSTRAINT schedules_claim_while_firing CHECK ((claim_deadline IS NOT NULL) = (status = 'firing'::text)),
  CONSTRAINT schedules_ended_when_terminal CHECK ((ended_at IS NOT NULL) = (status = ANY (ARRAY['succeeded'::text, 'dead'::text, 'cancelled'::text]))),
  CONSTRAINT schedules_env_known CHECK (env = ANY (ARRAY['live'::text, 'test'::text])),
  CONSTRAINT schedules_never_early CHECK (offset_ms >= 0 OR early_fire),
  CONSTRAINT schedules_next_attempt_while_open CHECK ((next_attempt_at IS NOT NULL) = (status = ANY (ARRAY['scheduled'::text, 'failed'::text, 'firing'::text]))),
  CONSTRAINT schedules_offset_with_fired CHECK ((fired_at IS NULL) = (offset_ms IS NULL)),
  CONSTRAINT schedules_scheduled_is_untried CHECK (status <> 'scheduled'::text OR attempts = 0),
  CONSTRAINT schedules_status_known CHECK (status = ANY (ARRAY['scheduled'::text, 'firing'::text, 'succeeded'::text, 'failed'::text, 'dead'::text, 'cancelled'::text]))
) WITH (autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05);
CREATE INDEX schedules_attention ON schedules USING btree (account_id, env, status, last_attempt_at) WHERE status = ANY (ARRAY['failed'::text, 'dead'::text]);
CREATE INDEX schedules_by_status ON schedules USING btree (account_id, env, status, fire_at, id) INCLUDE (created_at) WHERE status <> 'firing'::text;
CREATE INDEX schedules_due ON schedules USING btree (shard, next_attempt_at, id) WHERE status = ANY (ARRAY['scheduled'::text, 'failed'::text]);
CREATE INDEX schedules_due_of_account ON schedules USING btree (account_id, env, next_attempt_at, id) WHERE status = ANY (ARRAY['scheduled'::text, 'failed'::text]);
CREATE INDEX schedules_ended ON schedules USING btree (account_id, (sealed_bytes > 0), ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX schedules_failed ON schedules USING btree (shard) WHERE status = 'failed'::text;
CREATE INDEX schedules_failed_answers ON schedules USING btree (account_id, env, last_status_code, fire_at, id) WHERE last_status_code < 200 OR last_status_code >= 300 OR last_error IS NOT NULL;
CREATE INDEX schedules_firing ON schedules USING btree (shard, claim_deadline) WHERE status = 'firing'::text;
CREATE INDEX schedules_late ON schedules USING btree (account_id, env, offset_ms, id) WHERE offset_ms IS NOT NULL;
CREATE TRIGGER schedules_enter_dead AFTER UPDATE OF status ON schedules FOR EACH ROW WHEN (new.status = 'dead'::text AND old.status <> 'dead'::text AND new.env = 'live'::text) EXECUTE FUNCTION enter_dead_schedule();
CREATE TRIGGER schedules_lower_lane AFTER UPDATE OF next_attempt_at ON schedules FOR EACH ROW WHEN (new.next_attempt_at < old.next_attempt_at OR old.next_attempt_at IS NULL AND new.next_attempt_at IS NOT NULL) EXECUTE FUNCTION lower_lane_of_schedule();

CREATE TABLE secret_rotations (
  account_id uuid NOT NULL,
  env text NOT NULL,
  idempotency_key text NOT NULL,
  sealed bytea NOT NULL,
  rotated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT secret_rotations_account_id_env_idempotency_key_pk PRIMARY KEY (account_id, env, idempotency_key),
  CONSTRAINT secret_rotations_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT secret_rotations_env_known CHECK (env = ANY (ARRAY['live'::text, 'test'::text])),
  CONSTRAINT secret_rotations_key_length CHECK (char_length(idempotency_key) >= 1 AND char_length(idempotency_key) <= 255)
);
CREATE INDEX secret_rotations_rotated ON secret_rotations USING btree (rotated_at);

CREATE TABLE security_events (
  id uuid NOT NULL,
  account_id uuid NOT NULL,
  kind text NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  last_at timestamp(3) with time zone NOT NULL,
  times integer DEFAULT 1 NOT NULL,
  hour timestamp(3) with time zone,
  actor text,
  actor_id uuid,
  subject_id uuid,
  details jsonb NOT NULL,
  network text,
  user_agent text,
  CONSTRAINT security_events_pkey PRIMARY KEY (id),
  CONSTRAINT security_events_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT security_events_actor_known CHECK (actor = ANY (ARRAY['session'::text, 'api_key'::text, 'sign_in'::text, 'administrator'::text, 'operator'::text])),
  CONSTRAINT security_events_kind_known CHECK (kind = ANY (ARRAY['signed_in'::text, 'credential_refused'::text, 'api_key_created'::text, 'api_key_rotated'::text, 'api_key_revoked'::text, 'signing_secrets_rotated'::text, 'test_deliveries_opened'::text, 'test_deliveries_closed'::text, 'request_redirected'::text, 'identity_linked'::text, 'identity_removed'::text, 'session_ended'::text, 'account_deactivated'::text, 'account_reactivated'::text, 'account_deleted'::text]))
);
CREATE INDEX security_events_account ON security_events USING btree (account_id, at, id);
CREATE INDEX security_events_at ON security_events USING btree (at);
CREATE INDEX security_events_kind ON security_events USING btree (account_id, kind, at);
CREATE UNIQUE INDEX security_events_refused ON security_events USING btree (account_id, subject_id, hour) WHERE hour IS NOT NULL;

CREATE TABLE sessions (
  token_hash text NOT NULL,
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  account_id uuid NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  user_agent text,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (token_hash),
  CONSTRAINT sessions_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX sessions_account ON sessions USING btree (account_id, expires_at);
CREATE INDEX sessions_expired ON sessions USING btree (expires_at);
CREATE UNIQUE INDEX sessions_id_key ON sessions USING btree (id);

CREATE TABLE shard_punctuality (
  shard smallint NOT NULL,
  starts_at timestamp(3) with time zone NOT NULL,
  bucket smallint NOT NULL,
  n bigint NOT NULL,
  on_time bigint NOT NULL,
  CONSTRAINT shard_punctuality_shard_starts_at_bucket_pk PRIMARY KEY (shard, starts_at, bucket)
);

CREATE TABLE shards (
  id smallint NOT NULL,
  owner uuid,
  epoch bigint DEFAULT 0 NOT NULL,
  lease_until timestamp(3) with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  handover jsonb,
  recovered_to timestamp(3) with time zone,
  CONSTRAINT shards_pkey PRIMARY KEY (id),
  CONSTRAINT shards_fence UNIQUE (id, epoch),
  CONSTRAINT shards_id_range CHECK (id >= 0 AND id <= 63)
);

CREATE TABLE sign_in_requests (
  key text NOT NULL,
  asked_at timestamp(3) with time zone NOT NULL,
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  CONSTRAINT sign_in_requests_pkey PRIMARY KEY (key, asked_at, id)
);
CREATE INDEX sign_in_requests_asked ON sign_in_requests USING btree (asked_at);

CREATE TABLE sign_in_tokens (
  token_hash text NOT NULL,
  email text NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT sign_in_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT sign_in_tokens_email_form CHECK ((email COLLATE "C") ~ '^[!-?[-~]+@[a-z0-9.-]+$'::text)
);
CREATE INDEX sign_in_tokens_email ON sign_in_tokens USING btree (email);
CREATE INDEX sign_in_tokens_expired ON sign_in_tokens USING btree (expires_at);

CREATE TABLE signing_secrets (
  account_id uuid NOT NULL,
  env text NOT NULL,
  current bytea NOT NULL,
  next bytea NOT NULL,
  former bytea,
  former_until timestamp(3) with time zone,
  rotated_at timestamp(3) with time zone,
  CONSTRAINT signing_secrets_account_id_env_pk PRIMARY KEY (account_id, env),
  CONSTRAINT signing_secrets_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT signing_secrets_env_known CHECK (env = ANY (ARRAY['live'::text, 'test'::text]))
);

CREATE TABLE subscriptions (
  account_id uuid NOT NULL,
  customer_id text NOT NULL,
  status text DEFAULT 'none'::text NOT NULL,
  current_period_end timestamp(3) with time zone,
  paid_until timestamp(3) with time zone,
  paying boolean DEFAULT false NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  next_check_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT subscriptions_pkey PRIMARY KEY (account_id),
  CONSTRAINT subscriptions_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT subscriptions_paying_for_something CHECK (NOT paying OR status <> 'none'::text),
  CONSTRAINT subscriptions_status_known CHECK (status = ANY (ARRAY['none'::text, 'active'::text, 'past_due'::text, 'canceled'::text]))
);
CREATE UNIQUE INDEX subscriptions_customer_key ON subscriptions USING btree (customer_id);
CREATE INDEX subscriptions_ending ON subscriptions USING btree (paid_until) WHERE paying AND paid_until IS NOT NULL;
CREATE INDEX subscriptions_to_check ON subscriptions USING btree (next_check_at);

CREATE TABLE usage (
  account_id uuid NOT NULL,
  env text NOT NULL,
  period text NOT NULL,
  scheduled integer NOT NULL,
  part integer DEFAULT 0 NOT NULL,
  CONSTRAINT usage_account_id_env_period_part_pk PRIMARY KEY (account_id, env, period, part),
  CONSTRAINT usage_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT usage_period_form CHECK (period ~ '^[0-9]{6}$'::text),
  CONSTRAINT usage_scheduled_positive CHECK (scheduled >= 0)
);
