import type { Connection as Database } from "#db/client.ts";
import { makeAttemptPartitions } from "#db/queries/attempt-partitions.ts";

const DAYS_AHEAD = 8;

/** Keeps the daily partitions of `attempts` made ahead. */
export function createRetention(deps: { database: Database }) {
  return {
    /** Makes the partitions that are missing for the days ahead; returns how many. */
    runOnce: (): Promise<number> => deps.database.run(10_000, ({ sql }) => makeAttemptPartitions(sql, DAYS_AHEAD)),
  };
}
