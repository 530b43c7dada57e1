import type postgres from "postgres";
import { type Blocker, describeBlockers } from "./blockers.ts";
import { MigrationError } from "./migration-error.ts";
import { type MigrationSession, pause } from "./session.ts";
import { watch } from "./watch.ts";

/**
 * Runs `work` in a transaction that waits for each lock LOCK_TIMEOUT_MS at most, because all other statements on the table
 * wait behind it. Once it is ATTEMPT_MS old, as with the locks of many partitions, it waits for none. When it waits longer, or loses
 * a deadlock, it is rolled back, and tried again after a growing pause. `name` tells the operator what waits. Throws a
 * MigrationError after `waitMs` of that.
 */
export async function withLockRetries<T>(
  session: MigrationSession,
  name: string,
  work: (tx: postgres.TransactionSql) => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  for (let tries = 0; ; tries++) {
    let blockers: Blocker[] = [];
    let isCancelled = false;
    const triedAt = performance.now();
    const note = async (seen: Blocker[]) => {
      if (seen.length === 0) return undefined;
      blockers = seen;
      isCancelled = performance.now() - triedAt > ATTEMPT_MS;
      return isCancelled ? "cancel" : undefined;
    };
    try {
      return (await watch(session, LOOK_EVERY_MS, note, () =>
        session.sql.begin(async (tx) => {
          await tx`SELECT set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}ms`}, true)`;
          return work(tx);
        }),
      )) as T;
    } catch (error) {
      if (!isLockLost(error) && !isCancelled) throw error;
      const whom = blockers.length > 0 ? describeBlockers(blockers) : "a lock";
      const pauseMs = pauseAfter(tries);
      const waitedMs = performance.now() - startedAt;
      if (waitedMs + pauseMs > session.waitMs) {
        throw new MigrationError(
          `${name} waited ${Math.round(waitedMs / 1000)} s for ${whom}. It changed nothing; what came before it is applied. Run it again, with --wait to wait longer.`,
          { cause: error },
        );
      }
      session.onLog(`${name} waits for ${whom} (next try in ${(pauseMs / 1000).toFixed(1)} s)`);
      await pause(session, pauseMs);
    }
  }
}

/** Whether another session held a lock for too long (lock_timeout), or won a deadlock. */
function isLockLost(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === "55P03" || code === "40P01";
}

const LOCK_TIMEOUT_MS = 500;
const ATTEMPT_MS = 1_000;
const LOOK_EVERY_MS = 100;
const PAUSE_MS_MAX = 8_000;

/** 0.5 s, then twice as long each time, up to PAUSE_MS_MAX, less up to half of it at random. */
function pauseAfter(tries: number): number {
  return Math.min(500 * 2 ** tries, PAUSE_MS_MAX) * (1 - Math.random() / 2);
}
