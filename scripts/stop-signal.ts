import { processEnv } from "#config.ts";

/**
 * Listens for Ctrl-C, SIGTERM and SIGHUP. The first one aborts the returned signal; a second one calls `onImpatience`.
 * npm hands on a Ctrl-C that the terminal has already sent to everyone, so what follows within half a second is the
 * same one. A SIGTERM to npm ends only the shell between npm and this program: that counts as one to this program.
 */
export function listenForStop(onImpatience: () => void): AbortSignal {
  const controller = new AbortController();
  let firstAt = 0;
  const shell = processEnv().npm_lifecycle_event === undefined ? undefined : process.ppid;
  const orphaned = setInterval(() => {
    if (shell !== undefined && process.ppid !== shell && !controller.signal.aborted) controller.abort(new Stopped());
  }, ORPHAN_LOOK_MS).unref();
  controller.signal.addEventListener("abort", () => clearInterval(orphaned));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (!controller.signal.aborted) {
        firstAt = performance.now();
        controller.abort(new Stopped());
      } else if (performance.now() - firstAt > SAME_MS) {
        onImpatience();
      }
    });
  }
  return controller.signal;
}

/** Somebody asked the program to end. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

const SAME_MS = 500;
const ORPHAN_LOOK_MS = 250;
