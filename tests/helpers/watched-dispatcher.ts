import pino from "pino";
import { type Dispatcher, startDispatcher } from "#dispatcher/dispatcher.ts";
import { Metrics } from "#dispatcher/observability/metrics.ts";
import type { DispatchHarness } from "./dispatch-harness.ts";
import { stopAudited } from "./stop-audited.ts";

/** Starts a dispatcher of `harness` that reaches its database at `url`, and records when it logged a warning or worse. */
export function startWatchedDispatcher(harness: DispatchHarness, url: string) {
  const loggedAtMs: number[] = [];
  const messages: string[] = [];
  const write = (line: string) => {
    loggedAtMs.push(performance.now());
    messages.push(JSON.parse(line).msg);
  };
  const metrics = new Metrics();
  const log = pino({ level: "warn" }, { write });
  const started: Promise<Dispatcher> = startDispatcher(
    { ...harness.config, databaseDirectUrl: url },
    { log, metrics, version: "0.0.0" },
  );
  return {
    started,
    logged: () => loggedAtMs.length,
    messages: (): readonly string[] => messages,
    metrics: () => metrics.text(),
    /** The highest number of lines within one second. */
    loggedPerSecond: () =>
      Math.max(0, ...loggedAtMs.map((at) => loggedAtMs.filter((other) => other >= at && other < at + 950).length)),
    async stop() {
      await stopAudited(await started);
    },
  };
}
