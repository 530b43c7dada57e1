import { connect } from "#db/client.ts";
import { RETENTION_SESSION } from "./retention/retention.ts";

/** Planner settings of the dispatcher's sessions: its statements reach rows by key, whatever the statistics say. */
export const SESSION = {
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
 * The connections of a dispatcher. Leases, claims and records have their own, so that none waits behind anything else.
 * `onAnswered` is called after each call that was answered, `onFailed` after each that was not; neither counts retention
 * and notices.
 */
export function connectDatabases(url: string, on: { onAnswered: () => void; onFailed: () => void }) {
  const pool = (name: string, connectionsMax: number) =>
    connect({ url, name: `stopwatch-${name}`, connectionsMax, session: SESSION, ...on });
  const databases = {
    /** Leases of shards, and the database's clock. */
    leases: pool("lease", 2),
    claims: pool("claim", 2),
    records: pool("record", 2),
    reads: pool("read", 3),
    /** For making notices and for sending them; neither waits long for a lock. */
    notices: connect({
      url,
      name: "stopwatch-notices",
      connectionsMax: 2,
      session: { ...SESSION, lock_timeout: 1_000 },
    }),
    retention: connect({
      url,
      name: "stopwatch-retain",
      connectionsMax: 1,
      session: { ...SESSION, ...RETENTION_SESSION },
    }),
  };
  return {
    ...databases,
    async close(): Promise<void> {
      await Promise.allSettled(Object.values(databases).map((one) => one.close()));
    },
  };
}
