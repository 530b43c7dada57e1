import type { Database } from "#db/client.ts";
import { type CatchAll, readListenersOfAll } from "#db/queries/listen/read-listeners.ts";
import { sweepListening } from "#db/queries/listen/sweep.ts";

const DEADLINE_MS = 3_000;
const SWEEP_EVERY_MS = 1_000;

type Deps = {
  database: Database;
  monotonic: () => number;
  routes: { update(all: readonly CatchAll[]): void };
};

/** Learns of the listeners that take whole accounts, and deletes rows of exchanges and listeners that are past. */
export class Listeners {
  readonly #deps: Deps;
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async runOnce(): Promise<void> {
    const { database, routes, monotonic } = this.#deps;
    routes.update(await database.run(DEADLINE_MS, ({ sql }) => readListenersOfAll(sql)));
    if (monotonic() - this.#sweptAtMs < SWEEP_EVERY_MS) return;
    this.#sweptAtMs = monotonic();
    await database.run(DEADLINE_MS, ({ sql }) => sweepListening(sql));
  }
}
