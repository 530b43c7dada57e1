import { mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { isRunning } from "./is-running.ts";

/**
 * Acquires the lock for building on this machine; waits while another process has it. Returns how to release it. The lock of
 * a process that has ended does not count. `signal` ends the wait.
 */
export async function acquireBuildLock(signal?: AbortSignal): Promise<() => Promise<void>> {
  await mkdir(dirname(LOCK_FILE), { recursive: true });
  for (;;) {
    const file = await open(LOCK_FILE, "wx").catch(unlessLocked);
    if (file) {
      await file.writeFile(String(process.pid));
      await file.close();
      return () => rm(LOCK_FILE, { force: true });
    }
    signal?.throwIfAborted();
    if (await isAbandoned()) await rm(LOCK_FILE, { force: true });
    else await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  }
}

// Not in .next: a build first clears that folder.
const LOCK_FILE = "node_modules/.cache/stopwatch-build";
const CHECK_MS = 250;
/** An older lock is abandoned: after a restart of the machine another process may have the same process id. */
const BUILD_MS_MAX = 600_000;

async function isAbandoned(): Promise<boolean> {
  const made = await stat(LOCK_FILE).catch(() => undefined);
  const pid = Number(await readFile(LOCK_FILE, "utf8").catch(() => ""));
  // The file is gone, or its process id is not written yet. Check again later.
  if (!made || !pid) return false;
  return Date.now() - made.mtimeMs > BUILD_MS_MAX || !isRunning(pid);
}

function unlessLocked(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EEXIST") throw error;
}
