import type { Delivery } from "../delivery/delivery.ts";
import type { Holdings } from "../delivery/holdings.ts";
import type { Time } from "../runtime/clock.ts";
import { type ConnectionLimits, isWithinLimits } from "./limits.ts";
import { connectionsOf, isWanted, type Origin, readyOf, waitingOf } from "./origin.ts";
import type { Origins } from "./origins.ts";
import { FAST_ORIGIN_MAX, type Pool } from "./pool.ts";

const FORECAST_KEPT_MS = 1_000;
/** So many new connections are opened for the waiting retries of an origin at once. */
const RETRIES_AT_ONCE = 8;

type Deps = { origins: Origins; pool: Pool; limits: ConnectionLimits; holdings: Readonly<Holdings>; clock: Time };

/** Decides how many connections are opened: ahead of what falls due, and for what waits. */
export class Demand {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A delivery falls due within two seconds: a connection that it will need is opened ahead. */
  expect(delivery: Delivery): void {
    const { origins, pool, limits, holdings } = this.#deps;
    const origin = origins.originOf(delivery.origin);
    const needed = origin.forecast.add(delivery, limits.perOrigin);
    const lacks = delivery.needsNewConnection
      ? origin.unused.length + origin.opening.size === 0
      : connectionsOf(origin) < Math.min(needed, FAST_ORIGIN_MAX);
    if (lacks && isWithinLimits(delivery, limits, holdings) && pool.mayOpen(origin, delivery)) pool.open(origin);
  }

  /** Opens what the waiting ones need: one connection for each of them, and no more than their accounts may have. */
  meet(origin: Origin): void {
    this.meetRetries(origin);
    const { pool, limits, holdings } = this.#deps;
    if (!pool.mayHaveMore(origin)) return;
    const mayHave = (delivery: Delivery) => isWithinLimits(delivery, limits, holdings);
    const next = origin.waiting.peek(mayHave) ?? origin.waitingForNew.peek(mayHave);
    const wanted = readyOf(origin) + (next ? waitingOf(origin) : 0) - origin.opening.size;
    let needed = Math.min(wanted, this.#entitled(origin) - connectionsOf(origin));
    const delivery = next ?? origin.ready.peek();
    for (; needed > 0 && pool.mayOpen(origin, delivery); needed--) pool.open(origin);
  }

  /** A retry cannot have a connection that was used: one is opened for it, in the place of an idle one if need be. */
  meetRetries(origin: Origin): void {
    const { origins, pool } = this.#deps;
    const next = pool.nextRetry(origin);
    const waiting = next ? Math.min(origin.waitingForNew.size, RETRIES_AT_ONCE) : 0;
    let lacking = waiting + origins.reservedAt(origin).forNew - origin.unused.length - origin.opening.size;
    for (; lacking > 0; lacking--) {
      const mayOpen = this.#entitled(origin) > connectionsOf(origin) && pool.mayOpen(origin, next);
      if (mayOpen) pool.open(origin);
      else if (!pool.replaceIdle(origin)) return;
    }
  }

  /** Opens what slow origins need by now, closes connections that stayed unused. Only active origins are looked at. */
  runOnce(): void {
    const { origins, pool, clock } = this.#deps;
    const forgottenMs = clock.now() - FORECAST_KEPT_MS;
    for (const origin of origins.active) {
      origin.forecast.forget(forgottenMs);
      this.meet(origin);
      if (!isWanted(origin, origins.reservedAt(origin))) pool.closeUnused(origin);
    }
    origins.setIdleAside();
  }

  /** How many connections those who want one may have. */
  #entitled(origin: Origin): number {
    const wanted = this.#deps.holdings.wantedByOrigin.get(origin.key) ?? 0;
    return Math.max(wanted, origin.busy.size + readyOf(origin));
  }
}
