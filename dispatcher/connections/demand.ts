import type { Delivery } from "../delivery/delivery.ts";
import type { Holdings } from "../delivery/holdings.ts";
import type { Time } from "../runtime/clock.ts";
import { type ConnectionLimits, isWithinLimits } from "./limits.ts";
import { connectionsOf, isForgotten, type Origin, readyOf, waitingOf } from "./origin.ts";
import { FAST_ORIGIN_MAX, type Pool } from "./pool.ts";

const FORECAST_KEPT_MS = 1_000;

type Deps = { pool: Pool; limits: ConnectionLimits; holdings: Readonly<Holdings>; clock: Time };

/** Decides how many connections are opened: ahead of what falls due, and for what waits. */
export class Demand {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A delivery falls due within two seconds: a connection that it will need is opened ahead. */
  expect(delivery: Delivery): void {
    const { pool, limits } = this.#deps;
    const origin = pool.originOf(delivery.origin);
    const needed = origin.forecast.add(delivery, limits.perOrigin);
    const lacks = delivery.needsNewConnection
      ? origin.unused.length + origin.opening.size === 0
      : connectionsOf(origin) < Math.min(needed, FAST_ORIGIN_MAX);
    if (lacks && pool.mayOpen(origin, delivery)) pool.open(origin);
  }

  /**
   * Opens what the waiting ones need: one connection for each of them, and no more than their accounts may have. Retries
   * cannot have the connections that are open, so theirs come on top.
   */
  meet(origin: Origin): void {
    const { pool, limits, holdings } = this.#deps;
    const next = origin.waiting.peek();
    const forNew = origin.waitingForNew.size + origin.readyForNew.length;
    const others = origin.ready.length + (next && isWithinLimits(next, limits, holdings) ? origin.waiting.size : 0);
    const opening = origin.opening.size;
    let needed = Math.min(
      forNew + others - opening,
      Math.max(forNew - opening, this.#entitled(origin) - connectionsOf(origin)),
    );
    const delivery = next ?? origin.waitingForNew.peek() ?? origin.ready.peek();
    for (; needed > 0 && pool.mayOpen(origin, delivery); needed--) pool.open(origin);
  }

  /** Opens what slow origins need by now, closes connections that stayed unused, forgets origins that are not used. */
  runOnce(): void {
    const { pool, clock, holdings } = this.#deps;
    for (const [key, origin] of pool.origins) {
      origin.forecast.forget(clock.now() - FORECAST_KEPT_MS);
      this.meet(origin);
      const isWanted =
        holdings.reservedByOrigin.has(key) || waitingOf(origin) + readyOf(origin) > 0 || !origin.forecast.isEmpty();
      if (isWanted) continue;
      pool.closeUnused(origin);
      if (connectionsOf(origin) === 0 && isForgotten(origin, clock.monotonic())) pool.origins.delete(key);
    }
  }

  /** How many connections those who want one may have. */
  #entitled(origin: Origin): number {
    const wanted = this.#deps.holdings.wantedByOrigin.get(origin.key) ?? 0;
    return Math.max(wanted, origin.busy.size + readyOf(origin));
  }
}
