import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * One request: when its write began and when the write had returned, ms by the monotonic clock that all processes of a
 * machine share.
 */
export type FirstByte = { pid: number; path: string; beganAtMs: number; returnedAtMs: number };

/**
 * Makes dispatcher processes record each request as they write it. This is the sender's own account of its first bytes,
 * which a delay on the way to the receiver does not change. `options` go to `harness.spawn`. With `holdUpMs` the process
 * is blocked for that time before each seventh write, after its last check, as when another process has the CPU.
 */
export async function noteFirstBytes({ holdUpMs = 0 } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-first-bytes-"));
  const file = join(folder, "written");
  return {
    options: { preload: PRELOAD, env: { FIRST_BYTES_FILE: file, HOLD_UP_MS: String(holdUpMs) } },
    /** All requests written so far, in the order of their first bytes. */
    async read(): Promise<FirstByte[]> {
      const lines = (await readFile(file, "utf8").catch(() => "")).split("\n").filter((line) => line.endsWith("."));
      const written = lines.map((line) => line.split(" "));
      return written
        .map(([pid, path, began, returned]) => ({
          pid: Number(pid),
          path: String(path),
          beganAtMs: Number(began),
          returnedAtMs: Number(returned),
        }))
        .sort((a, b) => a.beganAtMs - b.beganAtMs);
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

/** The highest number of `times` (ms) within one second, wherever that second begins. */
export function mostInOneSecond(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let most = 0;
  for (let first = 0, next = 0; first < sorted.length; first++) {
    while (next < sorted.length && (sorted[next] as number) < (sorted[first] as number) + 1_000) next++;
    most = Math.max(most, next - first);
  }
  return most;
}

/**
 * Runs before the dispatcher and wraps the write of a request. Each line goes to the file at once, since kill -9 may
 * follow.
 */
const PRELOAD = `
  import net from "node:net";
  import { openSync, writeSync } from "node:fs";
  const file = openSync(process.env.FIRST_BYTES_FILE, "a");
  const holdUpMs = Number(process.env.HOLD_UP_MS);
  const now = () => Number(process.hrtime.bigint()) / 1e6;
  const write = net.Socket.prototype.write;
  let n = 0;
  net.Socket.prototype.write = function (chunk, ...rest) {
    const [, path] = (typeof chunk === "string" && /^POST (\\S+) HTTP/.exec(chunk)) || [];
    if (!path) return write.call(this, chunk, ...rest);
    const goesOnAtMs = now() + (++n % 7 === 0 ? holdUpMs : 0);
    while (now() < goesOnAtMs);
    const beganAtMs = now();
    const result = write.call(this, chunk, ...rest);
    writeSync(file, [process.pid, path, beganAtMs.toFixed(3), now().toFixed(3), "."].join(" ") + "\\n");
    return result;
  };
`;
