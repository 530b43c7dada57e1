import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { pause } from "#tests/helpers/time.ts";

/** What is ended may have started another process meanwhile: so it is looked for until none is found, and so often at most. */
const PASSES = 5;
const PAUSE_MS = 200;
/** Vitest's own, which ends with this process. */
const WATCHDOG = "vitest-watchdog";

/**
 * Ends the processes that tests started and left behind: what descends from this process, and what began after it in its group and
 * folder and has lost its parent. Others of the group, such as what reads the output of npm, stay. Only on Linux.
 */
export async function endLeftBehind(): Promise<void> {
  for (let pass = 0; pass < PASSES; pass++) {
    const left = findLeftBehind();
    if (left.length === 0) return;
    for (const { pid, name } of left) {
      if (name !== WATCHDOG) console.log(`ended ${name} (${pid}), which was left behind`);
      end(pid);
    }
    await pause(PAUSE_MS);
  }
}

function findLeftBehind(): Process[] {
  const processes = readProcesses();
  const own = processes.find(({ pid }) => pid === process.pid);
  if (!own) return [];
  const isOrphan = (one: Process) =>
    one.parent === 1 && one.group === own.group && one.startedAt > own.startedAt && one.folder === own.folder;
  const descends = ({ parent }: Process): boolean =>
    parent === own.pid || processes.some((one) => one.pid === parent && descends(one));
  return processes.filter((one) => !one.isEnded && (isOrphan(one) || descends(one)));
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

/** `startedAt` is in ticks of the kernel's clock. */
type Process = {
  pid: number;
  name: string;
  /** Nobody has read its exit code yet. */
  isEnded: boolean;
  parent: number;
  group: number;
  startedAt: number;
  folder: string;
};

function readProcesses(): Process[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        return [readProcess(Number(entry))];
      } catch {
        // It has ended meanwhile, or is another user's.
        return [];
      }
    });
}

function readProcess(pid: number): Process {
  // proc_pid_stat(5): pid (comm) state ppid pgrp …, and starttime as the 22nd. The name may have brackets and spaces.
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const end = stat.lastIndexOf(")");
  const [state, ...fields] = stat.slice(end + 2).split(" ");
  const [parent, group, startedAt] = [fields[0], fields[1], fields[18]].map(Number) as [number, number, number];
  const name = stat.slice(stat.indexOf("(") + 1, end);
  const isEnded = state === "Z";
  const folder = isEnded ? "" : readlinkSync(`/proc/${pid}/cwd`);
  return { pid, name, isEnded, parent, group, startedAt, folder };
}
