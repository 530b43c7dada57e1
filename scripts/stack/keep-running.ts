import { setTimeout as wait } from "node:timers/promises";
import { aborted } from "../aborted.ts";
import { RESTARTS_BOUND, Restarts } from "./restarts.ts";

export type Running = {
  /** Resolves with how it ended, when it ends without `stop`. */
  ended: Promise<string>;
  stop(): Promise<void>;
  /** Ends it at once, with what it has started. */
  kill(): void;
};

export type Kept = Omit<Running, "ended"> & {
  /** Resolves when it is not started again, with a sentence that says why. */
  givenUp: Promise<string>;
  /** Resolves while it runs; waits during a restart. */
  running(): Promise<void>;
};

type Options = {
  /** Its name at the begin of a sentence, such as "The dispatcher". */
  name: string;
  /** Starts it again. `signal` aborts when it is to stop. */
  start: (signal: AbortSignal) => Promise<Running>;
  /** Whether it is started again when it ends now. */
  mayRestart: () => boolean;
  /** Where to look for the reason when it is given up. */
  advice: string;
  onLog: (line: string) => void;
};

/** Starts `first` again whenever it ends, with growing pauses, and gives it up after five restarts within a minute. */
export function keepRunning(first: Running, { name, start, mayRestart, advice, onLog }: Options): Kept {
  const restarts = new Restarts();
  const stopping = new AbortController();
  const { signal } = stopping;
  let current = first;
  let up = Promise.withResolvers<void>();
  up.resolve();

  async function keep(): Promise<string> {
    let how = await Promise.race([current.ended, aborted(signal)]);
    for (;;) {
      up = Promise.withResolvers<void>();
      current.kill();
      if (!mayRestart()) return `${name} ended unexpectedly (${how}).`;
      const pauseMs = restarts.next(performance.now());
      if (pauseMs === undefined) return `${name} ended once more (${how}) after ${RESTARTS_BOUND}: ${advice}.`;
      onLog(`${name} ended (${how}), and is started again in ${pauseMs / 1000} s`);
      await wait(pauseMs, undefined, { signal });
      try {
        current = await start(signal);
      } catch (error) {
        signal.throwIfAborted();
        how = (error as Error).message;
        continue;
      }
      onLog(`${name} was started again`);
      up.resolve();
      how = await Promise.race([current.ended, aborted(signal)]);
    }
  }

  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<string>();
  const kept = keep().then(giveUp, (error) => {
    if (!signal.aborted) giveUp(`${name} could not be kept running (${(error as Error).message}).`);
  });
  return {
    givenUp,
    running: () => up.promise,
    async stop() {
      stopping.abort();
      await kept;
      await current.stop();
    },
    kill() {
      stopping.abort();
      current.kill();
    },
  };
}
