CREATE TABLE host_counts (
  account_id uuid NOT NULL,
  env text NOT NULL,
  hour timestamptz(3) NOT NULL,
  host text NOT NULL,
  code smallint NOT NULL,
  n bigint NOT NULL,
  dead bigint NOT NULL,
  first_at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  first_due timestamptz(3) NOT NULL,
  last_due timestamptz(3) NOT NULL,
  last_error text,
  CONSTRAINT host_counts_account_id_env_hour_host_code_pk PRIMARY KEY (account_id, env, hour, host, code)
);
--> statement-breakpoint
CREATE TABLE counted_hosts (
  account_id uuid NOT NULL,
  env text NOT NULL,
  hour timestamptz(3) NOT NULL,
  hosts text[] NOT NULL,
  CONSTRAINT counted_hosts_account_id_env_hour_pk PRIMARY KEY (account_id, env, hour),
  CONSTRAINT counted_hosts_at_most_100 CHECK (cardinality(hosts) BETWEEN 1 AND 100)
);
