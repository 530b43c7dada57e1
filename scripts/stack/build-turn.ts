import { mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Waits until no other process of this machine builds, and keeps others waiting until the returned function is called.
 * The mark of a process that is gone does not count. `signal` ends the waiting.
 */
export async function takeBuildTurn(signal?: AbortSignal): Promise<() => Promise<void>> {
  await mkdir(dirname(MARK), { recursive: true });
  for (;;) {
    const file = await open(MARK, "wx").catch(unlessTaken);
    if (file) {
      await file.writeFile(String(process.pid));
      await file.close();
      return () => rm(MARK, { force: true });
    }
    signal?.throwIfAborted();
    if (await isLeftBehind()) await rm(MARK, { force: true });
    else await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

// Not in .next, which a build begins by clearing.
const MARK = "node_modules/.cache/stopwatch-build";
const LOOK_MS = 250;
/** After a restart of the machine another process may have the number that is written there. */
const BUILD_MS_MAX = 600_000;

async function isLeftBehind(): Promise<boolean> {
  const made = await stat(MARK).catch(() => undefined);
  const pid = Number(await readFile(MARK, "utf8").catch(() => ""));
  // Gone, or not written yet: the next look tells.
  if (!made || !pid) return false;
  if (Date.now() - made.mtimeMs > BUILD_MS_MAX) return true;
  try {
    return !process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function unlessTaken(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EEXIST") throw error;
}
