import type { Delivery } from "../delivery/delivery.ts";
import type { Holdings } from "../delivery/holdings.ts";
import type { Time } from "../runtime/clock.ts";
import { age, grow, growAhead, settle } from "./growth.ts";
import { type ConnectionLimits, isWithinLimits, nextRetry, originMax } from "./limits.ts";
import { connectionsOf, FAST_ORIGIN_MAX, isSlow, type Origin, readyOf, waitingOf } from "./origin.ts";
import type { Origins } from "./origins.ts";
import type { Pool } from "./pool.ts";
import { hasFew, SPARE_MAX, sendsFew } from "./spare.ts";

const FORECAST_KEPT_MS = 1_000;
/** How many new connections are opened at once for the waiting retries of an origin. */
const RETRIES_AT_ONCE = 8;
/** Interval of the upkeep of all active origins, ms. */
const UPKEEP_EVERY_MS = 1_000;
/**
 * After a longer gap between rounds the event loop was busy, and for two rounds answers may still wait in sockets, ms.
 */
const BUSY_MS = 150;
const CALM_ROUNDS = 2;

type Deps = { origins: Origins; pool: Pool; limits: ConnectionLimits; holdings: Readonly<Holdings>; clock: Time };

/** Decides how many connections are opened, ahead of deliveries that fall due and for those that wait. */
export class Demand {
  readonly #deps: Deps;
  #upkeepAtMs = 0;
  #ranAtMs = 0;
  #calmRounds = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A delivery falls due within two seconds: opens a connection ahead, if it will need one more. */
  expect(delivery: Delivery): void {
    const { origins, pool, limits, holdings } = this.#deps;
    const origin = origins.originOf(delivery.origin);
    const needed = Math.min(origin.forecast.add(delivery, limits.perOrigin), FAST_ORIGIN_MAX);
    const neededIfSlow = growAhead(origin, delivery.sendAtMs, originMax(limits));
    const lacks = delivery.needsNewConnection
      ? origin.unused.length + origin.opening.size === 0
      : connectionsOf(origin) < Math.max(needed, neededIfSlow);
    if (lacks && isWithinLimits(delivery, limits, holdings) && pool.mayOpen(origin, delivery.accountId)) {
      pool.open(origin, delivery.accountId);
    }
  }

  /** Whether few of the expected deliveries to the same origin fall due together with `delivery`. */
  expectsFewWith({ origin, sendAtMs }: Delivery): boolean {
    return this.#deps.origins.get(origin)?.forecast.hasFewAt(sendAtMs) ?? true;
  }

  /** Opens one connection for each delivery that waits for `origin`, but no more than their accounts may have. */
  meet(origin: Origin): void {
    this.meetRetries(origin);
    this.meetOthers(origin);
  }

  /** As `meet`, without the retries. */
  meetOthers(origin: Origin): void {
    const { origins, pool } = this.#deps;
    const lacking = this.#lackingAt(origin);
    if (lacking > 0 && !pool.mayHaveMore(origin)) {
      origins.press(origin, true);
      this.#openSpare(origin);
      return;
    }
    for (let left = Math.min(lacking, this.#entitled(origin) - connectionsOf(origin)); left > 0; left--) {
      const next = this.#next(origin);
      if (!next) return;
      if (!pool.mayOpen(origin, next.accountId)) {
        origins.press(origin, true);
        return;
      }
      pool.open(origin, next.accountId);
    }
  }

  /**
   * Opens one more connection for an account with few requests, when all that are allowed are open and the requests of
   * others hang.
   */
  #openSpare(origin: Origin): void {
    const { pool, limits, holdings, clock } = this.#deps;
    const hasFree = origin.warm.length + origin.unused.length + origin.opening.size > 0;
    if (hasFree || !isSlow(origin, clock.monotonic())) return;
    const mayHave = (delivery: Delivery) => hasFew(delivery, holdings) && isWithinLimits(delivery, limits, holdings);
    const next = origin.ready.peek((delivery) => sendsFew(delivery, holdings)) ?? origin.waiting.peek(mayHave);
    if (next && pool.mayOpen(origin, next.accountId, SPARE_MAX)) pool.open(origin, next.accountId);
  }

  /**
   * Opens connections for retries, which cannot use one that was used before. Closes an idle connection if that is
   * needed.
   */
  meetRetries(origin: Origin): void {
    const { origins, pool, limits, holdings } = this.#deps;
    const reserved = origins.reservedNew(origin);
    if (reserved + origin.waitingForNew.size === 0) return;
    const next = nextRetry(origin, limits, holdings);
    const waiting = next ? Math.min(origin.waitingForNew.size, RETRIES_AT_ONCE) : 0;
    let lacking = waiting + reserved - origin.unused.length - origin.opening.size;
    const first = next ?? origin.readyForNew.peek();
    for (; lacking > 0 && first; lacking--) {
      const mayOpen = this.#entitled(origin) > connectionsOf(origin) && pool.mayOpen(origin, first.accountId);
      if (mayOpen) pool.open(origin, first.accountId);
      else if (!pool.replaceIdle(origin, first.accountId)) return;
    }
  }

  /**
   * Called ten times a second: opens connections that an origin or an account could not have before. It visits origins
   * and accounts that lack connections; once a second all active origins, to close unneeded connections.
   */
  runOnce(): void {
    const { origins, pool, limits, clock } = this.#deps;
    const now = clock.monotonic();
    this.#calmRounds = now - this.#ranAtMs > BUSY_MS ? 0 : this.#calmRounds + 1;
    this.#ranAtMs = now;
    for (const origin of [...origins.pressed]) {
      origins.press(origin, false);
      grow(origin, originMax(limits), now, this.#calmRounds >= CALM_ROUNDS);
      this.meet(origin);
      // Connections that were opened as spare may now be used by all accounts.
      if (origin.warm.length + origin.unused.length > 0) pool.listener?.opened(origin);
      if (!origin.isPressed) settle(origin);
    }
    for (const { id } of [...pool.accounts.short]) pool.listener?.freed(id);
    if (now - this.#upkeepAtMs >= UPKEEP_EVERY_MS) this.#upkeep(now);
  }

  #upkeep(nowMs: number): void {
    const { origins, pool, clock } = this.#deps;
    this.#upkeepAtMs = nowMs;
    const forgottenMs = clock.now() - FORECAST_KEPT_MS;
    for (const origin of origins.active) {
      origin.forecast.forget(forgottenMs);
      age(origin, nowMs);
      pool.closeUnused(origin);
      if (readyOf(origin) + waitingOf(origin) > 0) this.meet(origin);
    }
    origins.setIdleAside();
  }

  /** The delivery for which the next connection is opened: a claimed one, or else the one whose turn it is. */
  #next(origin: Origin): Delivery | undefined {
    const { pool, limits, holdings } = this.#deps;
    const ready = origin.ready.peek() ?? origin.readyForNew.peek();
    const mayHave = ({ accountId }: Delivery) => {
      if (pool.mayHaveAnother(accountId)) return !pool.isFullAt(origin, accountId);
      pool.accounts.lack(accountId, origin);
      return false;
    };
    if (ready && mayHave(ready)) return ready;
    const mayReserve = (delivery: Delivery) => isWithinLimits(delivery, limits, holdings) && mayHave(delivery);
    return origin.waiting.peek(mayReserve) ?? origin.waitingForNew.peek(mayReserve);
  }

  #lackingAt = (origin: Origin): number => readyOf(origin) + waitingOf(origin) - origin.opening.size;

  /** How many connections the origin may have for the deliveries that want one. */
  #entitled(origin: Origin): number {
    const wanted = this.#deps.holdings.wantedByOrigin.get(origin.key) ?? 0;
    return Math.max(wanted, origin.busy.size + readyOf(origin));
  }
}
