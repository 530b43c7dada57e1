import { earlyLeadMs } from "#domain/early-fire.ts";
import type { Connection } from "../delivery/connection.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import { CONNECTIONS } from "../tuning/connections.ts";
import { Accounts, type Opening, type OwnedConnection } from "./accounts.ts";
import type { FurtherSockets } from "./address-race.ts";
import type { OpenResult } from "./dialer.ts";
import { furtherSockets } from "./further-sockets.ts";
import { allowedTo, mayOpenMore, mayOpenNow } from "./growth.ts";
import { idleOf, idleOfAnother, unusedInVain } from "./idle-connections.ts";
import { type ConnectionLimits, isFull, maxOfAll, mayOpenAnother, originMax } from "./limits.ts";
import type { Origin } from "./origin.ts";
import type { Origins } from "./origins.ts";
import type { PoolObserver } from "./pool-observer.ts";
import { type Recount, recount } from "./recount.ts";

type Deps = {
  origins: Origins;
  /** Opens connections to what the key of an origin stands for. */
  opener: {
    open(key: string, further: FurtherSockets, accountId: string): Promise<OpenResult>;
    readonly resolving: number;
  };
  limits: ConnectionLimits;
  clock: Time;
  onError: (error: unknown) => void;
};

/** The connections of this process, by origin. Each counts for one account. */
export class Pool {
  readonly #deps: Deps;
  readonly accounts = new Accounts();
  observer: PoolObserver | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Connections that are open or being opened. */
  get size(): number {
    return this.accounts.total;
  }

  /** Whether the origin's own bounds allow another connection, for an account that `isSmall` there or not. */
  mayHaveMore(origin: Origin, isSmall = false): boolean {
    // Called for each request of a busy origin, so read the clock only when the count allows more.
    if (origin.open >= allowedTo(origin, isSmall)) return false;
    return mayOpenMore(origin, originMax(this.#deps.limits), this.#now(), isSmall);
  }

  /** Whether account `id` may have another connection, after an idle one is closed if needed. */
  mayHaveAnother(id: string): boolean {
    const { limits } = this.#deps;
    const account = this.accounts.get(id);
    const hasCapacityInAll = this.accounts.total < maxOfAll(limits, account) || this.#deps.origins.withIdle.size > 0;
    return hasCapacityInAll && (!account || mayOpenAnother(account, limits));
  }

  /** Whether account `id` has as many connections to `origin` as it may. */
  isFullAt(origin: Origin, id: string): boolean {
    return (origin.places.get(id)?.connections ?? 0) >= this.#deps.limits.perOrigin;
  }

  /**
   * Whether another connection to `origin` may be opened for account `id`, which `isSmall` there or not. May close an idle
   * connection for it: one of the account's own when the account is at its limit, any when the process is.
   */
  mayOpen(origin: Origin, id: string, isSmall = false): boolean {
    const { limits, origins } = this.#deps;
    if (!this.mayHaveMore(origin, isSmall) || !this.mayHaveAnother(id) || this.isFullAt(origin, id)) return false;
    const account = this.accounts.get(id);
    if (isFull(account, limits) && !this.#closeIdle(idleOf(account, origin, origins))) return false;
    return this.accounts.total < maxOfAll(limits, account) || this.#closeIdle(idleOfAnother(origin, origins));
  }

  /** Closes an idle connection to `origin`, then opens a new one for account `id`. Returns false when it may not. */
  replaceIdle(origin: Origin, id: string): boolean {
    const own = origin.warm.find(({ owner }) => owner.account.id === id);
    const idle = own ?? origin.warm[0];
    if (!idle || !mayOpenNow(origin, this.#now())) return false;
    if (!own && (this.isFullAt(origin, id) || !this.mayHaveAnother(id))) return false;
    const opening = this.accounts.begin(origin, id, this.#now());
    this.#close(origin, idle);
    idle.onBroken = () => this.#dial(origin, opening);
    return true;
  }

  /** Starts to open a connection for account `id`. The observer gets the result. */
  open(origin: Origin, id: string): void {
    this.#dial(origin, this.accounts.begin(origin, id, this.#now()));
  }

  /**
   * Acquires a connection for `delivery`, the one used last or an unused one, and marks it busy. `keptUnused` tells how many
   * unused connections are kept for others.
   */
  acquire(origin: Origin, delivery: Delivery, keptUnused: () => number): Connection | undefined {
    const connection = this.#pick(origin, delivery, keptUnused);
    if (!connection) return undefined;
    if (origin.warm.at(-1) === connection) origin.warm.pop();
    else origin.dropIdle(connection);
    if (connection.owner.account.id !== delivery.accountId) this.#handOver(connection, delivery.accountId);
    connection.owner.account.busy++;
    connection.answersBefore = origin.answers.count;
    origin.busy.set(connection, this.#now());
    origin.allowance.noteBusy(origin.busy.size);
    return connection;
  }

  /** An answer has ended on `connection`. Calls `then` when it is known whether another request may follow on it. */
  rest(connection: Connection, then: (mayReuse: boolean) => void): void {
    (connection as OwnedConnection).owner.origin.keepAlive.rest(connection, this.#now(), then);
  }

  /** The request on `connection` has ended. `reusable` says whether another may follow on it. */
  release(connection: Connection, reusable: boolean): void {
    const released = connection as OwnedConnection;
    const { account, origin } = released.owner;
    if (!origin.busy.delete(released)) return;
    account.busy--;
    if (connection.broken) origin.keepAlive.closed(connection, this.#now());
    if (!reusable || connection.broken || this.#isOld(connection)) {
      this.#close(origin, released);
      return;
    }
    origin.warm.push(released);
    this.#deps.origins.noteIdle(origin, true);
  }

  /** An answer was read from `connection` after `latencyMs`; `confirmedMs` of that is its confirmed latency. */
  answered(connection: Connection, latencyMs: number, confirmedMs: number): void {
    (connection as OwnedConnection).owner.origin.answers.note({ latencyMs, confirmedMs }, this.#now());
  }

  /** How far ahead of its instant a request to the origin `key` must leave to arrive at the instant, ms. */
  earlyLeadMs(key: string, sendCostMs: number): number {
    return earlyLeadMs({ connectRttMs: this.#deps.origins.get(key)?.answers.roundTripMs ?? null, sendCostMs });
  }

  /** Closes connections that were opened a while ago and never used, except that `kept` connections stay open. */
  closeUnused(origin: Origin, kept: number): void {
    for (const connection of unusedInVain(origin, kept, this.#now())) this.#close(origin, connection);
  }

  /**
   * How many connections are open and being opened, and the bound. Each that is being opened may be resolving a name.
   */
  figures(): { open: number; opening: number; max: number; resolving: number; resolvingMax: number } {
    const { total, opening } = this.accounts;
    const { total: max } = this.#deps.limits;
    return { open: total - opening, opening, max, resolving: this.#deps.opener.resolving, resolvingMax: max };
  }

  /** Recounts the connections, for the audit. */
  recount(): Recount {
    return recount(this.#deps.origins.all());
  }

  /** Ends every connection. */
  close(): void {
    const all = [...this.#deps.origins.all()].flatMap(({ unused, warm, busy }) => [...unused, ...warm, ...busy.keys()]);
    for (const connection of all) connection.destroy();
  }

  #dial(origin: Origin, opening: Opening): void {
    this.#deps.opener
      .open(origin.key, furtherSockets(opening, this.accounts, this.#deps.limits), opening.owner.account.id)
      .then((result) => {
        if (result.kind === "open") return this.#opened(origin, opening, result.connection);
        const { account } = this.accounts.endOpening(opening, false);
        this.observer?.failed(origin, result);
        this.observer?.freed(account.id);
      })
      .catch(this.#deps.onError);
  }

  #opened(origin: Origin, opening: Opening, made: Connection): void {
    const owner = this.accounts.endOpening(opening, true);
    const connection = Object.assign(made, { owner, answersBefore: 0 });
    connection.onBroken = () => this.#broke(origin, connection);
    if (connection.broken) {
      this.#broke(origin, connection);
      return;
    }
    origin.answers.noteConnected(connection);
    origin.unused.push(connection);
    this.#deps.origins.noteIdle(origin, true);
    this.observer?.opened(origin);
    this.observer?.freed(owner.account.id);
  }

  #pick(origin: Origin, delivery: Delivery, keptUnused: () => number): OwnedConnection | undefined {
    if (delivery.needsNewConnection) return origin.unused[0];
    for (;;) {
      const connection = origin.warm.at(-1) ?? (origin.unused.length > keptUnused() ? origin.unused[0] : undefined);
      if (!connection || !(connection.broken || this.#isOld(connection))) return connection;
      this.#close(origin, connection);
    }
  }

  #now(): number {
    return this.#deps.clock.monotonic();
  }

  #isOld(connection: Connection): boolean {
    return this.#now() - connection.openedAtMs >= CONNECTIONS.keptMaxMs;
  }

  /**
   * Counts the connection for the account of its new request. An account at its limit closes an idle connection or
   * swaps one for it.
   */
  #handOver(connection: OwnedConnection, id: string): void {
    const { limits, origins } = this.#deps;
    const { origin } = connection.owner;
    const account = this.accounts.get(id);
    const mustGive =
      this.isFullAt(origin, id) || (isFull(account, limits) && !this.#closeIdle(idleOf(account, origin, origins)));
    if (!mustGive || !this.accounts.exchange(connection, id)) this.accounts.handOver(connection, id);
  }

  #closeIdle(idle: OwnedConnection | undefined): boolean {
    if (idle) this.#close(idle.owner.origin, idle);
    return idle !== undefined;
  }

  #broke(origin: Origin, connection: OwnedConnection): void {
    if (origin.busy.delete(connection)) connection.owner.account.busy--;
    origin.dropIdle(connection);
    this.#uncount(connection);
    origin.keepAlive.closed(connection, this.#now());
    this.observer?.freed(connection.owner.account.id);
  }

  #close(origin: Origin, connection: OwnedConnection): void {
    origin.dropIdle(connection);
    this.#uncount(connection);
    connection.destroy();
  }

  /** Stops counting the connection, and no longer listens for its end. */
  #uncount(connection: OwnedConnection): void {
    connection.onBroken = undefined;
    this.accounts.close(connection.owner);
  }
}
