import { connect } from "#db/client.ts";
import { RETENTION_SESSION } from "./retain.ts";

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

/** The connections of a dispatcher. Claiming and recording have their own, so that neither waits behind anything else. */
export function connectDatabases(url: string, onLost: () => void) {
  const database = (name: string, connectionsMax: number) =>
    connect({ url, name: `stopwatch-${name}`, connectionsMax, session: SESSION, onLost });
  const databases = {
    claims: database("claim", 2),
    records: database("record", 2),
    control: database("control", 3),
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
