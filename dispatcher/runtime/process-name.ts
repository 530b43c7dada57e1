import { readFileSync, readlinkSync } from "node:fs";

/**
 * A name of this process by which a later one on the same machine can tell whether it has ended: the boot of the machine, its
 * namespace of process ids, its id and when it started. Null where that cannot be told, as outside Linux. Source: proc(5),
 * pid_namespaces(7).
 */
export function processName(): string | null {
  const place = placeOfProcesses();
  const start = startOf(process.pid);
  return place !== null && start !== null ? `${place} ${process.pid} ${start}` : null;
}

/** Boot and namespace of process ids, with which the names of all processes begin that this one could see; or null. */
export function placeOfProcesses(): string | null {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return null;
  }
}

/**
 * Whether the process of a name has certainly ended: its id is gone, or is another's. False where that is not proven, as for a
 * process of another machine or container.
 */
export function hasEnded(name: string): boolean {
  const place = placeOfProcesses();
  if (place === null || !name.startsWith(`${place} `)) return false;
  const [pid, start] = name.slice(place.length + 1).split(" ");
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // EPERM: there is one, which belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return true;
  }
  const found = startOf(Number(pid));
  return found !== null && found !== start;
}

/** When a process started, in ticks since the boot; `ended` for one that only waits for its parent; null where it is not seen. */
function startOf(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program, in brackets, may hold spaces.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "ended" : (fields[19] ?? null);
  } catch {
    return null;
  }
}
