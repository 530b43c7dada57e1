import pino from "pino";
import { type Dispatcher, startDispatcher } from "#dispatcher/dispatcher.ts";
import type { DispatchHarness } from "./dispatch-harness.ts";
import { stopAudited } from "./stop-audited.ts";

/** Starts a dispatcher of `harness` that reaches its database at `url`, and records when it logged a warning or worse. */
export function startWatchedDispatcher(harness: DispatchHarness, url: string) {
  const loggedAtMs: number[] = [];
  const write = () => {
    loggedAtMs.push(performance.now());
  };
  const log = pino({ level: "warn" }, { write });
  const started: Promise<Dispatcher> = startDispatcher(
    { ...harness.config, databaseDirectUrl: url },
    { log, version: "0.0.0" },
  );
  return {
    started,
    logged: () => loggedAtMs.length,
    /** The highest number of lines within one second. */
    loggedPerSecond: () =>
      Math.max(0, ...loggedAtMs.map((at) => loggedAtMs.filter((other) => other >= at && other < at + 950).length)),
    async stop() {
      await stopAudited(await started);
    },
  };
}
