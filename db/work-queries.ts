import type { Sql } from "./client.ts";

/** A query as the driver makes it. `active`: the server is working on it. */
type Query = Promise<unknown> & { active?: boolean; canceller?: ((query: Query) => Promise<unknown>) | null };

/** Keeps the queries of one call, to stop them when the call passes its deadline. */
export class WorkQueries {
  /** The driver, for this call alone. */
  readonly sql: Sql;
  readonly #all: Query[] = [];
  #stopped: Error | undefined;

  constructor(sql: Sql) {
    this.sql = this.#watch(sql);
  }

  /**
   * Cancels the running queries of the call on the server, and lets each later query of the call fail with `reason`. A
   * cancellation that reaches the server just after its query ended may hit the next query on that connection, which
   * then fails as cancelled.
   */
  stop(reason: Error): void {
    this.#stopped = reason;
    for (const query of this.#all) {
      const { active, canceller } = query;
      if (!active || !canceller) continue;
      // Not `cancel()`, which does not report that the server could not be reached.
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

  // Fragments are kept too, since they look the same. They are never active.
  #note(made: unknown): unknown {
    if (!(made instanceof Promise)) return made;
    if (this.#stopped) return refused(this.#stopped);
    this.#all.push(made as Query);
    return made;
  }
}

// A fragment is never awaited: without a handler its rejection would end the process.
function refused(reason: Error): Promise<never> {
  const refusal = Promise.reject(reason);
  refusal.catch(() => {});
  return refusal;
}

type Call = (...args: unknown[]) => unknown;
