import { readdirSync, readFileSync } from "node:fs";

/**
 * Ends the processes that tests started and left behind: those of this process's group whose parent has ended. Only on Linux; where
 * it cannot be told, nothing is ended.
 */
export function endOrphans(): void {
  const processes = readProcesses();
  const own = processes.find(({ pid }) => pid === process.pid);
  const orphans = processes.filter(({ group, parent, pid }) => group === own?.group && parent === 1 && !isAbove(pid));
  for (const { pid, name } of orphans) {
    console.log(`ended ${name} (${pid}), which a test had left behind`);
    process.kill(pid, "SIGKILL");
  }

  /** Whether this process descends from it: in a container, npm itself may be a child of the first process. */
  function isAbove(pid: number): boolean {
    for (let at = own; at; at = processes.find((one) => one.pid === at?.parent)) if (at.pid === pid) return true;
    return false;
  }
}

type Process = { pid: number; name: string; parent: number; group: number };

function readProcesses(): Process[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").flatMap((entry) => {
    try {
      // proc(5): pid (comm) state ppid pgrp …; the name may have brackets and spaces.
      const [, name = "", parent, group] =
        /\((.*)\) \S (\d+) (\d+)/s.exec(readFileSync(`/proc/${Number.parseInt(entry, 10)}/stat`, "utf8")) ?? [];
      return [{ pid: Number(entry), name, parent: Number(parent), group: Number(group) }];
    } catch {
      return [];
    }
  });
}
