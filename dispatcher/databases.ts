import type { Config } from "#config.ts";
import { connect, type DatabaseUnavailable } from "#db/client.ts";
import { DIRECT_SESSION } from "#db/sessions.ts";
import { spreadCalls } from "#db/spread-calls.ts";
import { OPERATIONS_SESSION } from "./operations/operations.ts";
import { RETENTION_SESSION } from "./retention/retention.ts";

/**
 * Session settings. The planner must use indexes: every statement finds its rows by key, whatever the table statistics
 * say.
 */
export const SESSION = {
  ...DIRECT_SESSION,
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  plan_cache_mode: "force_generic_plan",
  jit: "off",
  statement_timeout: 5_000,
  idle_in_transaction_session_timeout: 5_000,
  tcp_user_timeout: 5_000,
};

/**
 * Besides, for statements that read the first rows of an order: only the index that has this order leads to them past no
 * others. When few rows live, another one and a sort look as cheap to the planner, and pass all that are dead.
 */
export const IN_ORDER = { enable_sort: "off" };

/**
 * How long a record waits for a lock, ms: longer than the record of another batch holds it, so that only a session of
 * somebody else makes one fail.
 */
const LOCK_TIMEOUT_MS = 1_000;

type On = { onAnswered: () => void; onFailed: (error: DatabaseUnavailable) => void };

/** Every setting of any of the pools, to check that they arrive. */
export const ALL_SETTINGS = { ...SESSION, ...IN_ORDER, ...RETENTION_SESSION, ...OPERATIONS_SESSION };

/**
 * The dispatcher's database connections. Each kind of work has its own pool, so that leases, claims and records wait
 * behind nothing else. Each session begins with the settings `added` too. `onAnswered` is called after each call that was answered, `onFailed` after each that the
 * database could not serve; neither is called for retention, notices and operations, which report what they do not expect.
 */
export function connectDatabases(
  url: string,
  sizes: Config["dispatcherConnections"],
  on: On,
  added: Record<string, string> = {},
) {
  const base = { ...SESSION, ...added };
  const shared = { url, waitsWhenRefused: true };
  const pool = (name: string, connectionsMax: number, session: Record<string, string | number> = {}) =>
    connect({ ...shared, name: `stopwatch-${name}`, connectionsMax, session: { ...base, ...session }, ...on });
  const databases = {
    /** Shard leases, and samples of the database's clock. */
    leases: pool("lease", 2),
    /** One more than claims are in flight, for a claim whose own connection is stuck, and for releases. */
    claims: spreadCalls(Array.from({ length: sizes.claims + 1 }, () => pool("claim", 1))),
    records: pool("record", sizes.records, { lock_timeout: LOCK_TIMEOUT_MS }),
    reads: pool("read", sizes.reads, IN_ORDER),
    /** Test deliveries to listeners. Their requests are large, and nothing else waits behind them. */
    exchanges: pool("exchange", 1),
    /** For `/readyz`: a call that hangs costs no other work its connection. */
    probe: pool("probe", 1),
    /** Creates and sends notices. A short lock_timeout, so that neither waits long for a lock. */
    notices: connect({
      ...shared,
      name: "stopwatch-notices",
      connectionsMax: 2,
      session: { ...base, lock_timeout: 1_000 },
    }),
    /** Also for recurrences, whose occurrences are made more than a minute ahead. */
    operations: connect({
      ...shared,
      name: "stopwatch-operate",
      connectionsMax: 1,
      session: { ...base, ...OPERATIONS_SESSION },
    }),
    retention: connect({
      ...shared,
      name: "stopwatch-retain",
      connectionsMax: 1,
      session: { ...base, ...RETENTION_SESSION },
    }),
  };
  return {
    ...databases,
    async close(): Promise<void> {
      await Promise.allSettled(Object.values(databases).map((one) => one.close()));
    },
  };
}
