import { earlyLeadMs } from "#domain/early-fire.ts";
import type { ConnectFailure, Connection } from "../delivery/connection.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Holdings } from "../delivery/holdings.ts";
import type { Time } from "../runtime/clock.ts";
import type { Dialer } from "./dialer.ts";
import { type ConnectionLimits, isWithinLimits, originMax, totalMax } from "./limits.ts";
import {
  connectionsOf,
  dropConnection,
  isSlow,
  noteAnswer,
  noteConnected,
  type Origin,
  openOf,
  recentlyOpening,
} from "./origin.ts";
import type { Origins } from "./origins.ts";

const KEPT_MAX_MS = 60_000;
const UNUSED_MAX_MS = 4_000;
const OPENING_MAX = 32;
/** A fast origin is given as many connections; a slow one gets more as its requests pile up. */
export const FAST_ORIGIN_MAX = 64;

/** Gets the result of opening a connection. */
export interface PoolListener {
  opened(origin: Origin): void;
  failed(origin: Origin, failure: ConnectFailure): void;
}

type Deps = {
  origins: Origins;
  dialer: Dialer;
  limits: ConnectionLimits;
  holdings: Readonly<Holdings>;
  clock: Time;
  onError: (error: unknown) => void;
};

/** The sockets of this process, by origin. */
export class Pool {
  readonly #deps: Deps;
  listener: PoolListener | undefined;
  #total = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Connections that are open or being opened. */
  get size(): number {
    return this.#total;
  }

  /** Whether another connection to `origin` may be opened, by what there is of it. */
  mayHaveMore(origin: Origin): boolean {
    const now = this.#deps.clock.monotonic();
    if (openOf(origin) >= FAST_ORIGIN_MAX && !isSlow(origin, now)) return false;
    if (now < origin.openAgainAtMs || recentlyOpening(origin, now) >= OPENING_MAX) return false;
    return connectionsOf(origin) < originMax(this.#deps.limits);
  }

  /** Whether another connection to `origin` may be opened for `delivery`; may close an idle one of another origin for it. */
  mayOpen(origin: Origin, delivery: Delivery | undefined): boolean {
    const { limits, holdings } = this.#deps;
    if (!this.mayHaveMore(origin)) return false;
    return this.#total < totalMax(delivery, limits, holdings) || this.#closeIdleOfAnother(origin);
  }

  /** The retry whose turn it is among those that wait for this origin and may have one more connection. */
  nextRetry(origin: Origin): Delivery | undefined {
    if (origin.waitingForNew.size === 0) return undefined;
    const { limits, holdings } = this.#deps;
    return origin.waitingForNew.peek((delivery) => isWithinLimits(delivery, limits, holdings));
  }

  /** Closes an idle connection and opens a new one in its place, once it is closed; says whether it does. */
  replaceIdle(origin: Origin): boolean {
    const now = this.#deps.clock.monotonic();
    const [idle] = origin.warm;
    if (!idle || now < origin.openAgainAtMs || recentlyOpening(origin, now) >= OPENING_MAX) return false;
    const begun = this.#begin(origin);
    const { onBroken } = idle;
    idle.onBroken = () => {
      onBroken?.();
      this.#dial(origin, begun);
    };
    this.#close(origin, idle);
    return true;
  }

  /** Begins to open a connection; the listener gets the result. */
  open(origin: Origin): void {
    this.#dial(origin, this.#begin(origin));
  }

  /** Acquires the connection that `delivery` would go out on, the one used last or an unused one, and marks it busy. */
  acquire(origin: Origin, delivery: Delivery): Connection | undefined {
    const connection = this.#pick(origin, delivery);
    if (!connection) return undefined;
    dropConnection(origin, connection);
    origin.busy.set(connection, this.#deps.clock.monotonic());
    return connection;
  }

  /** The request on `connection` is over; `reusable` says whether another may follow on it. */
  release(connection: Connection, reusable: boolean): void {
    const origin = this.#deps.origins.originOf(connection.origin);
    origin.busy.delete(connection);
    if (connection.broken) return;
    if (reusable && !this.#isOld(connection)) origin.warm.push(connection);
    else connection.destroy();
  }

  /** An answer came over `connection` after `latencyMs`. */
  answered(connection: Connection, latencyMs: number): void {
    noteAnswer(this.#deps.origins.originOf(connection.origin), latencyMs, this.#deps.clock.monotonic());
  }

  /** How far ahead of its instant a request to `key` leaves so as to arrive at it, ms. */
  earlyLeadMs(key: string, sendCostMs: number): number {
    return earlyLeadMs({ connectRttMs: this.#deps.origins.get(key)?.roundTripMs ?? null, sendCostMs });
  }

  /** Closes what was opened in vain. */
  closeUnused(origin: Origin): void {
    const now = this.#deps.clock.monotonic();
    for (const connection of [...origin.unused]) {
      if (now - connection.openedAtMs >= UNUSED_MAX_MS) this.#close(origin, connection);
    }
  }

  /** How many connections have a request, of each origin. */
  busyByOrigin(): Map<string, number> {
    return new Map([...this.#deps.origins.all()].flatMap(({ key, busy }) => (busy.size > 0 ? [[key, busy.size]] : [])));
  }

  /** What `size` counts, counted anew. */
  countConnections(): number {
    return [...this.#deps.origins.all()].reduce((n, origin) => n + connectionsOf(origin), 0);
  }

  close(): void {
    for (const { unused, warm, busy } of this.#deps.origins.all()) {
      for (const connection of [...unused, ...warm, ...busy.keys()]) connection.destroy();
    }
  }

  /** Counts a connection from when it is decided that it is opened. */
  #begin(origin: Origin): { sinceMs: number } {
    const begun = { sinceMs: this.#deps.clock.monotonic() };
    origin.opening.add(begun);
    this.#total++;
    return begun;
  }

  #dial(origin: Origin, begun: { sinceMs: number }): void {
    this.#deps.dialer
      .open(origin.key)
      .then((result) => {
        origin.opening.delete(begun);
        if (result.kind === "open") return this.#opened(origin, result.connection);
        this.#total--;
        this.listener?.failed(origin, result);
      })
      .catch(this.#deps.onError);
  }

  #opened(origin: Origin, connection: Connection): void {
    connection.onBroken = () => {
      this.#total--;
      dropConnection(origin, connection);
    };
    if (connection.broken) {
      connection.onBroken();
      return;
    }
    noteConnected(origin, connection);
    origin.unused.push(connection);
    this.listener?.opened(origin);
  }

  #pick(origin: Origin, delivery: Delivery): Connection | undefined {
    if (delivery.needsNewConnection) return origin.unused[0];
    for (;;) {
      // The unused ones are first for retries, which cannot have another.
      const forRetries = this.#deps.origins.reservedAt(origin).forNew + (this.nextRetry(origin) ? 1 : 0);
      const spare = origin.unused.length > forRetries ? origin.unused[0] : undefined;
      const connection = origin.warm.at(-1) ?? spare;
      if (!connection || !this.#isOld(connection)) return connection;
      this.#close(origin, connection);
    }
  }

  #isOld(connection: Connection): boolean {
    return this.#deps.clock.monotonic() - connection.openedAtMs >= KEPT_MAX_MS;
  }

  #closeIdleOfAnother(than: Origin): boolean {
    for (const origin of this.#deps.origins.active) {
      if (origin === than) continue;
      const { any, forNew } = this.#deps.origins.reservedAt(origin);
      const idle = origin.warm[0] ?? (any + forNew > 0 ? undefined : origin.unused[0]);
      if (!idle) continue;
      this.#close(origin, idle);
      return true;
    }
    return false;
  }

  #close(origin: Origin, connection: Connection): void {
    dropConnection(origin, connection);
    connection.destroy();
  }
}
