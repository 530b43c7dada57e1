import { mkdir, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { isRunning } from "./is-running.ts";

/** Has a file for each process that serves the build of this folder. Not in .next: a build first clears that folder. */
const FOLDER = "node_modules/.cache/stopwatch-served";

/** Notes that this process serves the build of this folder, where it can be written. */
export async function noteServing(): Promise<void> {
  try {
    await mkdir(FOLDER, { recursive: true });
    await writeFile(`${FOLDER}/${process.pid}`, "");
  } catch {
    // A folder that cannot be written is not built in.
  }
}

/** The id of a process that serves the build of this folder; undefined when there is none. */
export async function findServing(): Promise<number | undefined> {
  for (const name of await readdir(FOLDER).catch(() => [])) {
    const pid = Number(name);
    if (await isServing(pid)) return pid;
    await rm(`${FOLDER}/${name}`, { force: true });
  }
}

async function isServing(pid: number): Promise<boolean> {
  if (!isRunning(pid)) return false;
  // After a restart of the machine another process may have the same id. Where the system tells, its folder says so.
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => process.cwd());
  return folder === process.cwd();
}
