import type { Logger } from "pino";
import { DatabaseUnavailable } from "#db/client.ts";
import type { DatabaseFault } from "#domain/database-fault.ts";

const LOG_EVERY_MS = 1_000;

type Deps = { log: Logger; monotonic: () => number; onFault: (fault: DatabaseFault) => void };

/**
 * Handles errors of the loops and of the database. What the database cannot do is counted and logged: one line a second,
 * faults in turns. Any other error ends the process.
 */
export class OutageLog {
  readonly #deps: Deps;
  readonly #seen = new WeakSet<DatabaseUnavailable>();
  /** An error of each fault that waits for its line. */
  readonly #waiting = new Map<DatabaseFault, DatabaseUnavailable>();
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Reports an error of a loop. The loop continues when the database can do its work again. */
  readonly report = (error: unknown): void => {
    if (!(error instanceof DatabaseUnavailable)) this.fatal(error);
    this.note(error as DatabaseUnavailable);
  };

  /** Counts and logs an error of the database, once however often it is passed on. */
  readonly note = (error: DatabaseUnavailable): void => {
    if (this.#seen.has(error)) return;
    this.#seen.add(error);
    const { monotonic, onFault } = this.#deps;
    onFault(error.fault);
    if (!this.#waiting.has(error.fault)) this.#waiting.set(error.fault, error);
    if (monotonic() - this.#loggedAtMs < LOG_EVERY_MS) return;
    this.#loggedAtMs = monotonic();
    // The one that has waited longest.
    const [next = error] = this.#waiting.values();
    this.#waiting.delete(next.fault);
    this.#logFault(next);
  };

  /** Reports a bug: the process ends, and its supervisor starts another. */
  readonly fatal = (error: unknown): never => {
    this.#deps.log.fatal({ err: error }, "the dispatcher cannot go on");
    process.exit(1);
  };

  #logFault({ fault, cause, reason }: DatabaseUnavailable): void {
    const { code, message } = (cause ?? {}) as { code?: string; message?: string };
    // Errors of several addresses of one host have no message of their own.
    this.#deps.log.warn({ fault, code, cause: String(message || (code ?? cause)) }, reason);
  }
}
