import type { Logger } from "pino";
import { DatabaseUnavailable } from "#db/client.ts";

const LOG_EVERY_MS = 1_000;

/**
 * Handles errors of the loops. An unreachable database is logged, at most once a second. Any other error ends the
 * process.
 */
export class OutageLog {
  readonly #log: Logger;
  readonly #monotonic: () => number;
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor(log: Logger, monotonic: () => number) {
    this.#log = log;
    this.#monotonic = monotonic;
  }

  /** Reports an error of a loop. The loop continues when the database is back. */
  readonly report = (error: unknown): void => {
    if (!(error instanceof DatabaseUnavailable)) this.fatal(error);
    if (this.#monotonic() - this.#loggedAtMs < LOG_EVERY_MS) return;
    this.#loggedAtMs = this.#monotonic();
    const { cause } = error as DatabaseUnavailable;
    const text = String((cause as Error)?.message ?? cause);
    this.#log.warn({ cause: text }, "the database cannot be reached");
  };

  /** Reports a bug: the process ends, and its supervisor starts another. */
  readonly fatal = (error: unknown): never => {
    this.#log.fatal({ err: error }, "the dispatcher cannot go on");
    process.exit(1);
  };
}
