import { setTimeout as wait } from "node:timers/promises";
import type { Database, Sql } from "#db/client.ts";
import { recordAttempts } from "#db/queries/attempts/record.ts";
import {
  cancelDueBefore,
  cancelFailed,
  type DueBefore,
  hasRunningClaims,
  type Place,
  readLeaseHolders,
} from "#db/queries/reconcile/cancel-due-before.ts";
import { readExpiredClaims } from "#db/queries/schedules/expired-claims.ts";
import { interruptedRecord } from "#dispatcher/recording/attempt-record.ts";
import { SHARDS } from "#domain/shard-share.ts";
import { CLAIM_LEASE_MS, SHARD_LEASE_MS } from "#domain/timing.ts";
import { SetupError } from "../setup-error.ts";

const DEADLINE_MS = 30_000;
const BATCH = 500;
/** More than any fleet has claimed at once. */
const CLAIMS_MAX = 100_000;
const POLL_MS = 500;
/** Two rounds of a dispatcher in which it notices the hold, and then its lease. */
const STOPPED_WITHIN_MS = 6_000 + SHARD_LEASE_MS;

const ALL_SHARDS = Array.from({ length: SHARDS }, (_, shard) => shard);
const ALL_CLAIMS = ALL_SHARDS.map((id) => ({ id, fromMs: Number.NEGATIVE_INFINITY }));

/**
 * Waits until no dispatcher can send any more. Throws a SetupError when one still does: it is of a version that knows no
 * holds.
 */
export async function untilNobodySends(database: Database): Promise<void> {
  const until = performance.now() + STOPPED_WITHIN_MS;
  for (;;) {
    const holders = await database.run(DEADLINE_MS, ({ sql }) => readLeaseHolders(sql));
    if (holders.length === 0) return;
    if (performance.now() > until)
      throw new SetupError(
        `A dispatcher still sends from this database (${holders.join("; ")}). Stop it, and run this again.`,
      );
    await wait(POLL_MS);
  }
}

/**
 * Cancels what was due before an instant, in short transactions: what is claimed is recorded as interrupted first. Call it
 * during a hold. It can be repeated after a crash. `onProgress` gets how many are cancelled so far. Returns how many.
 */
export async function cancelDue(
  database: Database,
  due: DueBefore,
  onProgress: (cancelled: number) => void,
): Promise<number> {
  let cancelled = await cancelClaimed(database, due);
  for (const shard of ALL_SHARDS) {
    let after: Place | null = null;
    do {
      const batch: { cancelled: number; next: Place | null } = await database.run(DEADLINE_MS, ({ sql }) =>
        cancelDueBefore(sql, due, { shard, after, limit: BATCH }),
      );
      cancelled += batch.cancelled;
      after = batch.next;
      onProgress(cancelled);
    } while (after);
  }
  return cancelled;
}

/** Claims of dispatchers that are gone: nobody knows whether the target was reached. */
async function cancelClaimed(database: Database, { dueBeforeMs }: DueBefore): Promise<number> {
  const until = performance.now() + CLAIM_LEASE_MS;
  while (await database.run(DEADLINE_MS, ({ sql }) => hasRunningClaims(sql, dueBeforeMs))) {
    if (performance.now() > until) throw new SetupError("A dispatcher still makes claims in this database: stop it.");
    await wait(POLL_MS);
  }
  const claims = await database.run(DEADLINE_MS, ({ sql }) => readExpiredClaims(sql, ALL_CLAIMS, CLAIMS_MAX));
  const due = claims.filter(({ dueAtMs }) => dueAtMs < dueBeforeMs);
  let cancelled = 0;
  for (let from = 0; from < due.length; from += BATCH) {
    const batch = due.slice(from, from + BATCH);
    cancelled += await database.run(DEADLINE_MS, ({ sql }) =>
      sql.begin(async (tx) => {
        const recorded = await recordAttempts(tx as unknown as Sql, batch.map(interruptedRecord));
        return cancelFailed(
          tx,
          recorded.map(({ id }) => id),
        );
      }),
    );
  }
  return cancelled;
}
