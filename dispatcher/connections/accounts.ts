import type { Connection } from "../delivery/connection.ts";
import type { Origin } from "./origin.ts";

/** What one account has of connections. Each counts from the decision to open it until it is closed. */
export type Account = {
  readonly id: string;
  /** Open and being opened. */
  connections: number;
  opening: number;
  /** With a request. */
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

/** A connection that is being opened, and since when, monotonic ms. */
export type Opening = { readonly sinceMs: number; owner: Place };

/** A connection of the pool, which account it counts for, and how many answers its origin had given at its last request. */
export type OwnedConnection = Connection & { owner: Place; answersBefore: number };

/**
 * Whom each connection counts for: the account that it was opened for, until the request of another one uses it. Only
 * accounts that have connections, or lack them, are kept.
 */
export class Accounts {
  readonly #accounts = new Map<string, Account>();
  /** Those that lack connections, in turns. */
  readonly #short = new Set<Account>();

  /** The account of this id, if it has or lacks connections. */
  get(id: string): Account | undefined {
    return this.#accounts.get(id);
  }

  /** Counts a connection to `origin` for account `id`, which is being opened from now on. */
  begin(origin: Origin, id: string, sinceMs: number): Opening {
    const owner = this.#count(this.#placeOf(origin, id), 1);
    owner.account.opening++;
    const opening = { sinceMs, owner };
    origin.opening.add(opening);
    return opening;
  }

  /** It is open, or could not be opened and counts no longer. Returns whom it counted for. */
  endOpening(opening: Opening, isOpen: boolean): Place {
    const { owner } = opening;
    owner.origin.opening.delete(opening);
    owner.account.opening--;
    return isOpen ? owner : this.close(owner);
  }

  /** An open connection of `owner` counts no longer. */
  close(owner: Place): Place {
    return this.#count(owner, -1);
  }

  /** An open connection changes hands. */
  handOver(connection: OwnedConnection, id: string): void {
    const to = this.#placeOf(connection.owner.origin, id);
    const from = connection.owner;
    connection.owner = this.#count(to, 1);
    this.#count(from, -1);
  }

  /** As `handOver`; the former owner gets an idle connection, or one that is being opened, for it. False: there is none. */
  exchange(connection: OwnedConnection, id: string): boolean {
    const from = connection.owner;
    const to = from.origin.places.get(id);
    if (!to) return false;
    const isOwn = ({ owner }: { owner: Place }) => owner === to;
    const idle = from.origin.warm.find(isOwn) ?? from.origin.unused.find(isOwn);
    const opening = idle ? undefined : [...from.origin.opening].find(isOwn);
    const given = idle ?? opening;
    if (!given) return false;
    connection.owner = to;
    given.owner = from;
    if (opening) {
      to.account.opening--;
      from.account.opening++;
    }
    return true;
  }

  /** Notes that deliveries of account `id` wait for `origin` until the account, or the process, may have more. */
  lack(id: string, origin: Origin): void {
    const account = this.#accountOf(id);
    account.lacking.add(origin);
    this.#short.add(account);
  }

  /** Takes out an origin that `account` lacks connections to; the one that has waited longest first. */
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

  /** The connections of each account, as they are counted. */
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
    if (place.connections === 0) {
      origin.places.delete(account.id);
      account.places.delete(place);
      this.#drop(account);
    }
    return place;
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

/** The name of a counter of an account, for the audit. */
export const nameOf = ({ id }: Account, what: string): string => `${id} ${what}`;
