import type { TransactionSql } from "postgres";
import { lockKey } from "../schema-of-installation.ts";
import { describeBlockers, readHolder } from "./blockers.ts";
import { type MigrationSession, pause } from "./session.ts";
import { withLockRetries } from "./with-lock-retries.ts";

const ADVISORY_LOCK = lockKey(7_867_001);
const POLL_MS = 200;
const LOG_EVERY = 50;

/**
 * Takes the advisory lock that lets one process migrate at a time; the session may have it already. It polls, because a
 * session that waits inside pg_advisory_lock holds back CREATE INDEX CONCURRENTLY.
 */
export async function waitForTurn(session: MigrationSession): Promise<void> {
  const { sql, onLog } = session;
  for (let tries = 0; ; tries++) {
    const [row] = await sql.unsafe<[{ mine: boolean }]>(`SELECT pg_try_advisory_lock(${ADVISORY_LOCK}) AS mine`);
    if (row.mine) return;
    if (tries % LOG_EVERY === 0) {
      const holder = describeBlockers(await readHolder(sql, ADVISORY_LOCK));
      onLog(`waiting for another process that migrates this database${holder && `: ${holder}`}`);
    }
    await pause(session, POLL_MS);
  }
}

/**
 * Runs `work` in a transaction that keeps the turn to its end, as `withLockRetries` does. Waits while the session has lost the
 * turn, with its connection, to another process.
 */
export function inTurn<T>(
  session: MigrationSession,
  name: string,
  work: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  return withLockRetries(session, name, async (tx) => {
    const [row] = await tx.unsafe(`SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK}) AS mine`);
    if (!row?.mine) throw Object.assign(new Error("another process migrates now"), { code: "55P03" });
    return work(tx);
  });
}
