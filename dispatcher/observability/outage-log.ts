import type { Logger } from "pino";
import { DatabaseUnavailable } from "#db/client.ts";

const LOG_EVERY_MS = 1_000;

/** Reports what goes wrong in the loops: a database that is away, at most once a second; anything else ends the process. */
export class OutageLog {
  readonly #log: Logger;
  readonly #monotonic: () => number;
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor(log: Logger, monotonic: () => number) {
    this.#log = log;
    this.#monotonic = monotonic;
  }

  /** Reports an error of a loop, which goes on when the database is back. */
  readonly report = (error: unknown): void => {
    if (!(error instanceof DatabaseUnavailable)) this.fatal(error);
    if (this.#monotonic() - this.#loggedAtMs < LOG_EVERY_MS) return;
    this.#loggedAtMs = this.#monotonic();
    const { cause } = error as DatabaseUnavailable;
    const text = String((cause as Error)?.message ?? cause);
    this.#log.warn({ cause: text }, "the database cannot be reached");
  };

  /** A mistake of this program: the process ends, and its supervisor starts another. */
  readonly fatal = (error: unknown): never => {
    this.#log.fatal({ err: error }, "the dispatcher cannot go on");
    process.exit(1);
  };
}
