import { age, grow, growAhead } from "../connections/growth.ts";
import { type ConnectionLimits, originMax } from "../connections/limits.ts";
import type { Origins } from "../connections/origins.ts";
import type { Pool } from "../connections/pool.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Holdings } from "../delivery/holdings.ts";
import type { Time } from "../runtime/clock.ts";
import { ADMISSION } from "../tuning/admission.ts";
import { CONNECTIONS } from "../tuning/connections.ts";
import { RUNTIME } from "../tuning/runtime.ts";
import { isWithinLimits } from "./account-limits.ts";
import { nextRetry } from "./retries.ts";
import { hasFew, sendsFew } from "./spare.ts";
import type { Waiters, WaitersByOrigin } from "./waiters.ts";

type Deps = {
  origins: Origins;
  waiters: WaitersByOrigin;
  pool: Pool;
  limits: ConnectionLimits;
  holdings: Readonly<Holdings>;
  clock: Time;
};

/** Decides how many connections are opened, ahead of deliveries that fall due and for those that wait. */
export class Demand {
  readonly #deps: Deps;
  /** Where deliveries wait because the origin or their account may not have more connections. Looked at ten times a second. */
  readonly #pressed = new Set<Waiters>();
  #upkeepAtMs = 0;
  #ranAtMs = 0;
  #calmRounds = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A delivery falls due within two seconds: opens a connection ahead, if it will need one more. */
  expect(delivery: Delivery): void {
    const { waiters, pool, limits, holdings } = this.#deps;
    const { origin, forecast } = waiters.at(delivery.origin);
    const needed = Math.min(forecast.add(delivery, limits.perOrigin), CONNECTIONS.fastOriginMax);
    const underWay = (latencyMs: number) => forecast.underWay(delivery.sendAtMs, latencyMs);
    const neededIfSlow = growAhead(origin, underWay, originMax(limits));
    const lacks = delivery.needsNewConnection
      ? origin.unused.length + origin.opening.size === 0
      : origin.connections < Math.max(needed, neededIfSlow);
    if (lacks && isWithinLimits(delivery, limits, holdings) && pool.mayOpen(origin, delivery.accountId)) {
      pool.open(origin, delivery.accountId);
    }
  }

  /** Whether few of the expected deliveries to the same origin fall due together with `delivery`. */
  expectsFewWith({ origin, sendAtMs }: Delivery): boolean {
    return this.#deps.waiters.find(origin)?.forecast.hasFewAt(sendAtMs) ?? true;
  }

  /** Opens one connection for each delivery that waits, but no more than their accounts may have. */
  meet(waiters: Waiters): void {
    this.meetRetries(waiters);
    this.meetOthers(waiters);
  }

  /** As `meet`, without the retries. */
  meetOthers(waiters: Waiters): void {
    const { pool } = this.#deps;
    const { origin } = waiters;
    const lacking = waiters.size - origin.opening.size;
    if (lacking > 0 && !pool.mayHaveMore(origin)) {
      this.#pressed.add(waiters);
      this.#openReserved(waiters);
      return;
    }
    for (let left = Math.min(lacking, this.#entitled(waiters) - origin.connections); left > 0; left--) {
      const next = this.#next(waiters);
      if (!next) return;
      if (!pool.mayOpen(origin, next.accountId)) {
        this.#pressed.add(waiters);
        return;
      }
      pool.open(origin, next.accountId);
    }
  }

  /**
   * Opens a reserved connection for an account with few requests, when all that are allowed are open and the requests of
   * others hang.
   */
  #openReserved({ origin, ready, waiting }: Waiters): void {
    const { pool, limits, holdings, clock } = this.#deps;
    const hasFree = origin.idle + origin.opening.size > 0;
    if (hasFree || !origin.isSlow(clock.monotonic())) return;
    const mayHave = (delivery: Delivery) => hasFew(delivery, holdings) && isWithinLimits(delivery, limits, holdings);
    const next = ready.peek((delivery) => sendsFew(delivery, holdings)) ?? waiting.peek(mayHave);
    if (next && pool.mayOpen(origin, next.accountId, true)) pool.open(origin, next.accountId);
  }

  /**
   * Opens connections for retries, which cannot use one that was used before. Closes an idle connection if that is
   * needed.
   */
  meetRetries(waiters: Waiters): void {
    const { pool, limits, holdings } = this.#deps;
    const { origin, waitingForNew, readyForNew, reservedNew } = waiters;
    if (reservedNew + waitingForNew.size === 0) return;
    const next = nextRetry(waiters, limits, holdings);
    const waiting = next ? Math.min(waitingForNew.size, ADMISSION.retriesAtOnce) : 0;
    let lacking = waiting + reservedNew - origin.unused.length - origin.opening.size;
    const first = next ?? readyForNew.peek();
    for (; lacking > 0 && first; lacking--) {
      const mayOpen = this.#entitled(waiters) > origin.connections && pool.mayOpen(origin, first.accountId);
      if (mayOpen) pool.open(origin, first.accountId);
      else if (!pool.replaceIdle(origin, first.accountId)) return;
    }
  }

  /**
   * Called ten times a second: opens connections that an origin or an account could not have before. It visits origins
   * and accounts that lack connections; once a second all active origins, to close unneeded connections.
   */
  runOnce(): void {
    const { pool, limits, clock } = this.#deps;
    const now = clock.monotonic();
    this.#calmRounds = now - this.#ranAtMs > RUNTIME.busyGapMs ? 0 : this.#calmRounds + 1;
    this.#ranAtMs = now;
    const isCalm = this.#calmRounds >= ADMISSION.calmRounds;
    for (const waiters of [...this.#pressed]) {
      const { origin } = waiters;
      this.#pressed.delete(waiters);
      grow(origin, { waiting: waiters.size, max: originMax(limits), nowMs: now, isCalm });
      this.meet(waiters);
      // Connections that were opened as spare may now be used by all accounts.
      if (origin.idle > 0) pool.observer?.opened(origin);
      if (!this.#pressed.has(waiters)) origin.allowance.settle();
    }
    for (const { id } of [...pool.accounts.short]) pool.observer?.freed(id);
    if (now - this.#upkeepAtMs >= ADMISSION.originsEveryMs) this.#upkeep(now);
  }

  #upkeep(nowMs: number): void {
    const { origins, waiters, pool, clock } = this.#deps;
    this.#upkeepAtMs = nowMs;
    const forgottenMs = clock.now() - RUNTIME.rememberedMs;
    for (const origin of origins.active) {
      const there = waiters.of(origin);
      there.forecast.forget(forgottenMs);
      age(origin, nowMs);
      pool.closeUnused(origin, there.areAny ? origin.allowance.peak + there.reserved + there.waitingSize : 0);
      if (there.size > 0) this.meet(there);
    }
    origins.setIdleAside((origin) => waiters.of(origin).areAny);
  }

  /** The delivery for which the next connection is opened: a claimed one, or else the one whose turn it is. */
  #next({ origin, ready, readyForNew, waiting, waitingForNew }: Waiters): Delivery | undefined {
    const { pool, limits, holdings } = this.#deps;
    const claimed = ready.peek() ?? readyForNew.peek();
    const mayHave = ({ accountId }: Delivery) => {
      if (pool.mayHaveAnother(accountId)) return !pool.isFullAt(origin, accountId);
      pool.accounts.lack(accountId, origin);
      return false;
    };
    if (claimed && mayHave(claimed)) return claimed;
    const mayReserve = (delivery: Delivery) => isWithinLimits(delivery, limits, holdings) && mayHave(delivery);
    return waiting.peek(mayReserve) ?? waitingForNew.peek(mayReserve);
  }

  /** How many connections the origin may have for the deliveries that want one. */
  #entitled({ origin, readySize }: Waiters): number {
    const wanted = this.#deps.holdings.wantedByOrigin.get(origin.key) ?? 0;
    return Math.max(wanted, origin.busy.size + readySize);
  }
}
