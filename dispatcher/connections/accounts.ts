import type { Connection } from "../delivery/connection.ts";
import type { Origin } from "./origin.ts";

/** The connections of one account. A connection counts from the decision to open it until it is closed. */
export type Account = {
  readonly id: string;
  /** Open and being opened. */
  connections: number;
  opening: number;
  /** Connections that have a request. */
  busy: number;
  readonly places: Set<Place>;
  /** Origins where its deliveries wait only because the account, or the process, may have no more connections. */
  readonly lacking: Set<Origin>;
};

/** One account at one origin. */
export type Place = {
  readonly account: Account;
  readonly origin: Origin;
  /** Open and being opened. */
  connections: number;
};

/**
 * A connection that is being opened since `sinceMs`, monotonic ms. While it is tried at several addresses, it has `further`
 * sockets beyond its first.
 */
export type Opening = { readonly sinceMs: number; owner: Place; further: number };

/**
 * A connection of the pool: which account at which origin it counts for, and how many answers the origin had given when
 * its last request began.
 */
export type OwnedConnection = Connection & { owner: Place; answersBefore: number };

/**
 * Which account each connection counts for: the account that it was opened for, until another account's request uses
 * it. Only accounts that have connections, or lack them, are stored.
 */
export class Accounts {
  readonly #accounts = new Map<string, Account>();
  /** Accounts that lack connections, in turns. */
  readonly #short = new Set<Account>();
  #total = 0;
  #opening = 0;

  /** Connections that are open or being opened, of all accounts. */
  get total(): number {
    return this.#total;
  }

  /** Those that are being opened. */
  get opening(): number {
    return this.#opening;
  }

  /** The account of this id, if it has or lacks connections. */
  get(id: string): Account | undefined {
    return this.#accounts.get(id);
  }

  /** Counts a connection to `origin` for account `id`. It is being opened from now on. */
  begin(origin: Origin, id: string, sinceMs: number): Opening {
    const owner = this.#count(this.#placeOf(origin, id), 1);
    this.#countOpening(owner, 1);
    const opening = { sinceMs, owner, further: 0 };
    origin.opening.add(opening);
    return opening;
  }

  /** One more socket of an opening, or one less, counts as a connection that is being opened. */
  countFurther(opening: Opening, change: 1 | -1): void {
    opening.further += change;
    this.#countOpening(opening.owner, change);
    this.#count(opening.owner, change);
  }

  /**
   * Ends an opening: the connection is open, or failed and no longer counts. Returns which account and origin it
   * counted for.
   */
  endOpening(opening: Opening, isOpen: boolean): Place {
    const { owner } = opening;
    owner.origin.opening.delete(opening);
    this.#countOpening(owner, -1);
    return isOpen ? owner : this.close(owner);
  }

  /** Stops counting an open connection of `owner`. */
  close(owner: Place): Place {
    return this.#count(owner, -1);
  }

  /** Counts an open connection for account `id` instead of its former owner. */
  handOver(connection: OwnedConnection, id: string): void {
    const to = this.#placeOf(connection.owner.origin, id);
    const from = connection.owner;
    connection.owner = this.#count(to, 1);
    this.#count(from, -1);
  }

  /**
   * As `handOver`, but account `id` gives the former owner an idle connection, or one that is being opened, in
   * exchange. Returns false when it has none to give.
   */
  exchange(connection: OwnedConnection, id: string): boolean {
    const from = connection.owner;
    const to = from.origin.places.get(id);
    if (!to) return false;
    const isOwn = ({ owner }: { owner: Place }) => owner === to;
    const isOneSocket = ({ further }: Opening) => further === 0;
    const idle = from.origin.warm.find(isOwn) ?? from.origin.unused.find(isOwn);
    const opening = idle ? undefined : [...from.origin.opening].filter(isOneSocket).find(isOwn);
    const given = idle ?? opening;
    if (!given) return false;
    connection.owner = to;
    given.owner = from;
    if (opening) {
      this.#countOpening(to, -1);
      this.#countOpening(from, 1);
    }
    return true;
  }

  /**
   * Notes that deliveries of account `id` wait for `origin` until the account, or the process, may have more
   * connections.
   */
  lack(id: string, origin: Origin): void {
    const account = this.#accountOf(id);
    account.lacking.add(origin);
    this.#short.add(account);
  }

  /** Removes and returns the origin that has waited longest for connections of `account`. */
  takeLacking(account: Account): Origin | undefined {
    const origin = account.lacking.values().next().value;
    if (origin) account.lacking.delete(origin);
    if (account.lacking.size === 0) this.#short.delete(account);
    this.#drop(account);
    return origin;
  }

  /** The accounts that lack connections, in turns. */
  get short(): ReadonlySet<Account> {
    return this.#short;
  }

  /** The counters of each account, for the audit. */
  counts(): Map<string, number> {
    return new Map([...this.#accounts.values()].flatMap((account) => countsOf(account)));
  }

  #accountOf(id: string): Account {
    let account = this.#accounts.get(id);
    if (!account) {
      account = { id, connections: 0, opening: 0, busy: 0, places: new Set(), lacking: new Set() };
      this.#accounts.set(id, account);
    }
    return account;
  }

  #placeOf(origin: Origin, id: string): Place {
    let place = origin.places.get(id);
    if (!place) {
      place = { account: this.#accountOf(id), origin, connections: 0 };
      origin.places.set(id, place);
      place.account.places.add(place);
    }
    return place;
  }

  #count(place: Place, change: 1 | -1): Place {
    const { account, origin } = place;
    place.connections += change;
    account.connections += change;
    this.#total += change;
    if (place.connections === 0) {
      origin.places.delete(account.id);
      account.places.delete(place);
      this.#drop(account);
    }
    return place;
  }

  #countOpening({ account }: Place, change: 1 | -1): void {
    account.opening += change;
    this.#opening += change;
  }

  #drop(account: Account): void {
    if (account.connections === 0 && account.lacking.size === 0) this.#accounts.delete(account.id);
  }
}

function countsOf(account: Account): [string, number][] {
  const { connections, busy, opening } = account;
  const all: [string, number][] = [
    [nameOf(account, "all"), connections],
    [nameOf(account, "busy"), busy],
    [nameOf(account, "opening"), opening],
    ...[...account.places].map((place): [string, number] => [nameOf(account, place.origin.key), place.connections]),
  ];
  return all.filter(([, n]) => n !== 0);
}

/** The name of an account's counter in the audit. */
export const nameOf = ({ id }: Account, what: string): string => `${id} ${what}`;
