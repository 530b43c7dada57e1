import type { Sql } from "./client.ts";

/** What of a query the driver shows: it is `active` while the server is at work on it. */
type Query = Promise<unknown> & { active?: boolean; canceller?: ((query: Query) => Promise<unknown>) | null };

/** The queries of one piece of work, so that they can be stopped when its time is over. */
export class WorkQueries {
  /** The driver, for this work alone. */
  readonly sql: Sql;
  readonly #all: Query[] = [];
  #stopped: Error | undefined;

  constructor(sql: Sql) {
    this.sql = this.#watch(sql);
  }

  /**
   * Cancels what the server is at work on, and has each further query of the work fail with `reason`. A cancellation that
   * comes just after its query has ended may meet the next one on that connection, which then fails as cancelled.
   */
  stop(reason: Error): void {
    this.#stopped = reason;
    for (const query of this.#all) {
      const { active, canceller } = query;
      if (!active || !canceller) continue;
      // Not `cancel()`: that leaves it to nobody to hear that the server could not be reached.
      query.canceller = null;
      canceller(query).catch(() => {});
    }
  }

  #watch<S extends object>(sql: S): S {
    return new Proxy(sql, {
      apply: (target, _this, args) => this.#note((target as unknown as Call)(...args)),
      get: (target, name) => {
        const own = target[name as keyof S];
        if (name === "unsafe") return (...args: unknown[]) => this.#note((own as Call)(...args));
        if (name === "begin") return (...args: unknown[]) => this.#begin(own as Call, args);
        return own;
      },
    });
  }

  #begin(begin: Call, args: unknown[]): unknown {
    if (this.#stopped) return refused(this.#stopped);
    const work = args.pop() as (tx: object) => unknown;
    return begin(...args, (tx: object) => work(this.#watch(tx)));
  }

  // Fragments too, which look the same: they are never active.
  #note(made: unknown): unknown {
    if (!(made instanceof Promise)) return made;
    if (this.#stopped) return refused(this.#stopped);
    this.#all.push(made as Query);
    return made;
  }
}

// It may be a fragment, which nobody awaits.
function refused(reason: Error): Promise<never> {
  const refusal = Promise.reject(reason);
  refusal.catch(() => {});
  return refusal;
}

type Call = (...args: unknown[]) => unknown;
