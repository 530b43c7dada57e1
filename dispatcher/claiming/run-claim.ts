import { type Database, DatabaseUnavailable } from "#db/client.ts";
import { type ClaimedSchedule, claimSchedules } from "#db/queries/schedules/claim.ts";
import type { Delivery } from "../delivery/delivery.ts";
import { STATEMENTS } from "../tuning/statements.ts";
import type { Statement } from "./lane-order.ts";

/**
 * Fixed by the size of a version: its steps repeat after this many statements. By then no answer of the earlier statement can still
 * arrive.
 */
const STEPS = 2 ** 20;

/** What a database must have for a claim in it: the epochs of shards, and the last heartbeat that was acknowledged. */
export type ClaimFence = { epochsOf(shards: number[]): Map<number, number>; beat(): number | null };

type Deps = {
  database: Database;
  dispatcherId: string;
  shards: ClaimFence;
};

/**
 * Sends a claim statement. Returns the claimed rows, or null when the answer was lost: then they may be claimed or not.
 */
export async function runClaim({ n, batch }: Statement, deps: Deps): Promise<ClaimedSchedule[] | null> {
  const { database, dispatcherId, shards } = deps;
  const epochs = shards.epochsOf(batch.map(({ shard }) => shard));
  const beat = shards.beat();
  // Each statement raises the version by a step of its own, so the version identifies the statement.
  const step = ((n - 1) % STEPS) + 1;
  for (const delivery of batch) delivery.claimVersion = delivery.version + step;
  try {
    return await database.run(STATEMENTS.deadlineMs, ({ sql }) =>
      claimSchedules(sql, dispatcherId, epochs, batch.map(requestOf), step, beat),
    );
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return null;
    throw error;
  }
}

const requestOf = ({ id, version, shard, dueAtMs, sendAtMs }: Delivery) => ({
  ...{ id, version, shard },
  earlyMs: dueAtMs - sendAtMs,
});
