import { type Database, DatabaseUnavailable } from "#db/client.ts";
import { releaseSchedules } from "#db/queries/schedules/release.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { Time } from "../runtime/clock.ts";
import { STATEMENTS } from "../tuning/statements.ts";

/** Fixed by the session's statement_timeout, which ends a claim whose answer was lost within this, ms. */
const STATEMENT_LIFE_MS = 6_000;

type Deps = {
  database: Database;
  dispatcherId: string;
  deliveries: Deliveries;
  clock: Pick<Time, "monotonic">;
  idsToRead: { add(ids: readonly string[]): void };
  metrics: Pick<Metrics, "released">;
};

/**
 * Puts back claimed schedules whose requests were not sent. A claim whose answer was lost may still be running in the
 * database, so the row is tried again until the claim must have ended.
 */
export class Releases {
  readonly #deps: Deps;
  #waiting: { delivery: Delivery; untilMs: number }[] = [];
  #inFlight = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  add(delivery: Delivery): void {
    if (delivery.claim) this.#deps.metrics.released();
    // Free the request now: the release may wait as long as the database is away.
    delivery.request = null;
    if (delivery.claim) delivery.claim.row.sealed = null;
    const untilMs = delivery.claim ? 0 : this.#deps.clock.monotonic() + STATEMENT_LIFE_MS;
    this.#waiting.push({ delivery, untilMs });
  }

  /** Puts a bounded number of rows back. Returns how many rows it changed. */
  async runOnce(): Promise<number> {
    if (this.#inFlight > 0 || this.#waiting.length === 0) return 0;
    const { database, dispatcherId, deliveries, clock, idsToRead } = this.#deps;
    const batch = this.#waiting.splice(0, STATEMENTS.rowsMax);
    this.#inFlight = batch.length;
    try {
      const claims = batch.map(({ delivery }) => ({ id: delivery.id, version: delivery.claimVersion }));
      const found = await database.run(STATEMENTS.deadlineMs, ({ sql }) => releaseSchedules(sql, dispatcherId, claims));
      const released = new Set(found.released.map(({ id }) => id));
      const locked = new Set(found.locked);
      for (const one of batch) {
        const { id } = one.delivery;
        const mayComeYet = !released.has(id) && clock.monotonic() < one.untilMs;
        if (locked.has(id) || mayComeYet) this.#waiting.push(one);
        else deliveries.move(one.delivery, "removed");
      }
      idsToRead.add(claims.flatMap(({ id }) => (locked.has(id) ? [] : [id])));
      return released.size;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      this.#waiting = batch.concat(this.#waiting);
      return 0;
    } finally {
      this.#inFlight = 0;
    }
  }

  /** How many deliveries wait to be put back. */
  count(): number {
    return this.#waiting.length + this.#inFlight;
  }
}
