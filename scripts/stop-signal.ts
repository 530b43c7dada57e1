import { readFileSync } from "node:fs";
import { processEnv } from "#config.ts";
import { STOP_SIGNALS } from "#domain/stop-signals.ts";

/**
 * Listens for `STOP_SIGNALS`. The first signal aborts the returned AbortSignal, a second one calls
 * `onSecondSignal`. npm forwards a Ctrl-C that the terminal has already sent to every process, so a signal within half
 * a second counts as the same one. A SIGTERM to npm ends only the shell between npm and this process, and a SIGHUP only npm;
 * when either is gone, it counts as a SIGTERM to this process.
 */
export function listenForStop(onSecondSignal: () => void): AbortSignal {
  const controller = new AbortController();
  let firstAt = 0;
  const npm = processEnv().npm_lifecycle_event === undefined ? undefined : parents();
  const orphaned = setInterval(() => {
    if (npm !== undefined && parents() !== npm && !controller.signal.aborted) controller.abort(new Stopped());
  }, ORPHAN_CHECK_MS).unref();
  controller.signal.addEventListener("abort", () => clearInterval(orphaned));
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (!controller.signal.aborted) {
        firstAt = performance.now();
        controller.abort(new Stopped());
      } else if (performance.now() - firstAt > SAME_MS) {
        onSecondSignal();
      }
    });
  }
  return controller.signal;
}

/** The ids of the shell and of npm; of the shell alone where the system does not tell whose child that is. */
function parents(): string {
  const { ppid } = process;
  try {
    // The parent follows the state, which follows the name in parentheses (proc_pid_stat(5)).
    return `${ppid} ${/\) \w (\d+)/.exec(readFileSync(`/proc/${ppid}/stat`, "latin1"))?.[1]}`;
  } catch {
    return String(ppid);
  }
}

/** The operator asked the program to stop. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

const SAME_MS = 500;
const ORPHAN_CHECK_MS = 250;
