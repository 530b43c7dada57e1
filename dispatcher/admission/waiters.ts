import type { Origin } from "../connections/origin.ts";
import type { Origins } from "../connections/origins.ts";
import { type Delivery, leavesBefore } from "../delivery/delivery.ts";
import { ADMISSION } from "../tuning/admission.ts";
import { ConnectionForecast } from "./connection-forecast.ts";
import { PreparationTime } from "./preparation-time.ts";
import { ReadyQueue } from "./ready-queue.ts";
import { WaitingQueue } from "./waiting-queue.ts";

/** Who waits for connections to one origin, and what falls due there soon. */
export class Waiters {
  readonly origin: Origin;
  readonly #origins: Origins;
  /** Unclaimed deliveries that wait for a connection. Those that need a new one are in a queue of their own. */
  readonly waiting = new WaitingQueue();
  readonly waitingForNew = new WaitingQueue();
  /** Claimed and due deliveries that wait for a connection. Those that need a new one are in a queue of their own. */
  readonly ready = new ReadyQueue();
  readonly readyForNew = new ReadyQueue();
  /** Deliveries that were let through for a spare connection, and may have one by now; written by `spare.ts`. */
  readonly spare = new Set<Delivery>();
  readonly forecast = new ConnectionForecast();
  readonly preparation = new PreparationTime();
  /** The latest due time of the deliveries that were let through to their claim, ms. */
  #frontierMs = Number.NEGATIVE_INFINITY;
  /** Since when a claimed request has waited for a connection, monotonic ms. */
  #readySinceMs = 0;
  /** How many signs of life the origin had given when claimed requests were put back; null when none were. */
  #stuckAt: number | null = null;

  constructor(origin: Origin, origins: Origins) {
    this.origin = origin;
    this.#origins = origins;
  }

  /** How many deliveries were let through to their claim and have no connection yet. */
  get reserved(): number {
    return this.#origins.reserved(this.origin);
  }

  /** How many of them need a new connection. */
  get reservedNew(): number {
    return this.#origins.reservedNew(this.origin);
  }

  /** How many deliveries wait for a connection before their claim. */
  get waitingSize(): number {
    return this.waiting.size + this.waitingForNew.size;
  }

  /** How many claimed requests wait for a connection. */
  get readySize(): number {
    return this.ready.size + this.readyForNew.size;
  }

  /** How many deliveries wait in all. */
  get size(): number {
    return this.waitingSize + this.readySize;
  }

  /**
   * Whether claimed requests were put back, and the origin has neither answered nor got a connection since. Then nothing is let
   * through without a connection, so that what was put back stays ahead of what is due after it.
   */
  get areStuck(): boolean {
    return this.#stuckAt === this.origin.answers.signs;
  }

  /** The queue in which `delivery` waits before its claim. */
  queueOf({ needsNewConnection }: Delivery): WaitingQueue {
    return needsNewConnection ? this.waitingForNew : this.waiting;
  }

  /** The queue in which `delivery` waits after its claim. */
  readyQueueOf({ needsNewConnection }: Delivery): ReadyQueue {
    return needsNewConnection ? this.readyForNew : this.ready;
  }

  /**
   * Whether the same account has a waiting delivery that is due before `delivery`. `delivery` must not overtake it, even
   * if the earlier one is too late to count as urgent.
   */
  isBehind(delivery: Delivery): boolean {
    const first = this.queueOf(delivery).firstOf(delivery.place);
    return first !== undefined && leavesBefore(first, delivery);
  }

  /** Whether something waits for a connection, has reserved one, or falls due soon. */
  get areAny(): boolean {
    return this.reserved + this.size > 0 || !this.forecast.isEmpty();
  }

  /** A claimed request comes to wait at `nowMs`, monotonic ms. */
  noteReady(nowMs: number): void {
    if (this.readySize === 0) this.#readySinceMs = nowMs;
  }

  /** Whether claimed requests have waited for a second in which the origin answered nothing. */
  areStalled(nowMs: number): boolean {
    return (
      this.readySize > 0 && nowMs - Math.max(this.#readySinceMs, this.origin.answers.lastAtMs) > ADMISSION.stalledMs
    );
  }

  /** Claimed requests are put back, since the origin answers nothing. */
  noteStuck(): void {
    this.#stuckAt = this.origin.answers.signs;
  }

  /** A delivery due at `sendAtMs` was let through to its claim. */
  noteLetThrough(sendAtMs: number): void {
    this.#frontierMs = Math.max(this.#frontierMs, sendAtMs);
  }

  /** Whether something that is due after `sendAtMs` was let through. */
  isBeforeFrontier(sendAtMs: number): boolean {
    return sendAtMs < this.#frontierMs;
  }
}

/** Who waits, by origin. What is known of an origin's waiters lasts as long as the origin is remembered. */
export class WaitersByOrigin {
  readonly #origins: Origins;
  readonly #waiters = new WeakMap<Origin, Waiters>();

  constructor(origins: Origins) {
    this.#origins = origins;
  }

  /** Those of `origin`. */
  of(origin: Origin): Waiters {
    let waiters = this.#waiters.get(origin);
    if (!waiters) {
      waiters = new Waiters(origin, this.#origins);
      this.#waiters.set(origin, waiters);
    }
    return waiters;
  }

  /** Those of the origin that has this key, which is active from now on. */
  at(key: string): Waiters {
    return this.of(this.#origins.originOf(key));
  }

  /** The same, if the origin is known. */
  find(key: string): Waiters | undefined {
    const origin = this.#origins.get(key);
    return origin && this.of(origin);
  }
}
