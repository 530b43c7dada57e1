CREATE UNLOGGED TABLE listeners (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  key_id uuid NOT NULL,
  scope text NOT NULL,
  paths text[] NOT NULL,
  epoch integer NOT NULL DEFAULT 1,
  lease_until timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT listeners_scope_known CHECK (scope IN ('reserved', 'all'))
);
--> statement-breakpoint
CREATE INDEX listeners_account ON listeners (account_id, lease_until);
--> statement-breakpoint
CREATE INDEX listeners_lease ON listeners (lease_until);
--> statement-breakpoint
CREATE UNLOGGED TABLE listen_exchanges (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  env text NOT NULL,
  schedule_id uuid NOT NULL,
  attempt integer NOT NULL,
  is_reserved boolean NOT NULL,
  path text NOT NULL,
  request bytea,
  state text NOT NULL DEFAULT 'waiting',
  listener_id uuid,
  listener_epoch integer,
  deadline timestamptz(3) NOT NULL,
  answer bytea,
  CONSTRAINT listen_exchanges_env_test CHECK (env = 'test'),
  CONSTRAINT listen_exchanges_state_known CHECK (state IN ('waiting', 'handed', 'answered', 'over')),
  CONSTRAINT listen_exchanges_handed_to_one CHECK (state NOT IN ('handed', 'answered') OR listener_id IS NOT NULL),
  CONSTRAINT listen_exchanges_request_while_open CHECK ((request IS NOT NULL) = (state IN ('waiting', 'handed'))),
  CONSTRAINT listen_exchanges_answer_when_answered CHECK (answer IS NULL OR state = 'answered')
);
--> statement-breakpoint
CREATE INDEX listen_exchanges_open ON listen_exchanges (account_id, id) WHERE state IN ('waiting', 'handed');
--> statement-breakpoint
CREATE INDEX listen_exchanges_deadline ON listen_exchanges (deadline);
