import type { Sql } from "../client.ts";
import { type Blocker, readBlockers } from "./blockers.ts";
import type { MigrationSession } from "./session.ts";

/**
 * Runs `work`, a statement or a transaction of the session, and tells `onSeen` meanwhile every `everyMs` whom it waits for.
 * `onSeen` may return "cancel". Throws what `work` throws, and the signal's reason when the signal ended it.
 */
export async function watch<T>(
  session: MigrationSession,
  everyMs: number,
  onSeen: (blockers: Blocker[], pid: number) => Promise<"cancel" | undefined> | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const { sql, watcher, signal } = session;
  signal?.throwIfAborted();
  const pid = await readPid(sql);
  const cancel = () => void watcher`SELECT pg_cancel_backend(${pid})`.catch(() => {});
  signal?.addEventListener("abort", cancel);

  let timer: NodeJS.Timeout | undefined;
  let isRunning = true;
  const look = async () => {
    try {
      const blockers = await readBlockers(watcher, pid);
      if (isRunning && (await onSeen(blockers, pid)) === "cancel") cancel();
    } catch {
      // Less is shown then, and the migration goes on.
    }
    if (isRunning) timer = setTimeout(look, everyMs);
  };
  timer = setTimeout(look, everyMs);
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    isRunning = false;
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

async function readPid(sql: Sql): Promise<number> {
  const [row] = await sql<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`;
  return row.pid;
}
