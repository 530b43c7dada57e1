import { processEnv } from "#config.ts";
import { STOP_SIGNALS } from "#domain/stop-signals.ts";

/**
 * Listens for `STOP_SIGNALS`. The first signal aborts the returned AbortSignal, a second one calls
 * `onSecondSignal`. npm forwards a Ctrl-C that the terminal has already sent to every process, so a signal within half
 * a second counts as the same one. A SIGTERM to npm ends only the shell between npm and this process; when that shell
 * is gone, it counts as a SIGTERM to this process.
 */
export function listenForStop(onSecondSignal: () => void): AbortSignal {
  const controller = new AbortController();
  let firstAt = 0;
  const shell = processEnv().npm_lifecycle_event === undefined ? undefined : process.ppid;
  const orphaned = setInterval(() => {
    if (shell !== undefined && process.ppid !== shell && !controller.signal.aborted) controller.abort(new Stopped());
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

/** The operator asked the program to stop. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

const SAME_MS = 500;
const ORPHAN_CHECK_MS = 250;
