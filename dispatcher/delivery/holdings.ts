import { DELIVERY } from "../tuning/delivery.ts";
import type { Delivery } from "./delivery.ts";
import { type DeliveryState, type Held, occupies, STATES } from "./states.ts";

type Counts<Key = string> = Map<Key, number>;

/**
 * Counters of what all deliveries hold, as far as stages need them. Only `Deliveries.move` changes the counters.
 * `connectionsPerPlace` is how many connections one account may have to one origin.
 */
export class Holdings {
  readonly #connectionsPerPlace: number;
  readonly states = Object.fromEntries(Object.keys(STATES).map((state) => [state, 0])) as Record<DeliveryState, number>;
  memory = 0;
  /** Bytes of claimed requests that have not left, plus `ROW_BYTES` for each. */
  claimedBytes = 0;
  readonly memoryByLane: Counts = new Map();
  /** By due time, in steps of 10 ms: see `instantOf`. */
  readonly memoryByInstant: Counts<number> = new Map();
  /** Wanted, reserved and assigned connections. */
  readonly wantedByPlace: Counts = new Map();
  /** The same by origin. An account counts at most as many as it may have. */
  readonly wantedByOrigin: Counts = new Map();
  /** Reserved and assigned connections. */
  readonly connectionsByPlace: Counts = new Map();
  readonly connectionsByAccount: Counts = new Map();
  /** Assigned connections. */
  readonly assignedByPlace: Counts = new Map();
  /** Reserved connections that are not assigned yet. Those that must be new are counted separately. */
  readonly reservedByOrigin: Counts = new Map();
  readonly reservedNewByOrigin: Counts = new Map();

  constructor(connectionsPerPlace: number) {
    this.#connectionsPerPlace = connectionsPerPlace;
  }

  /** A time before which none of them is due, epoch ms; Infinity when there is none. */
  dueFromMs(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const instant of this.memoryByInstant.keys()) earliest = Math.min(earliest, instant * DELIVERY.instantMs);
    return earliest;
  }

  /** Updates the counters for a move: `from` is what the delivery held before, `to` what it holds now. */
  change(delivery: Delivery, from: Held, to: Held): void {
    if (from.memory !== to.memory) {
      this.memory += step(to.memory);
      add(this.memoryByLane, delivery.lane, step(to.memory));
      add(this.memoryByInstant, instantOf(delivery.dueAtMs), step(to.memory));
    }
    if (from.bytes !== to.bytes) this.claimedBytes += step(to.bytes) * costOf(delivery);
    if (from.connection !== to.connection) this.#changeConnection(delivery, from.connection, to.connection);
  }

  /** The counters by name and key, without zeros, for comparing two counts. */
  entries(): Map<string, number> {
    const entries = new Map<string, number>();
    const { memory, claimedBytes } = this;
    for (const [name, n] of Object.entries({ memory, claimedBytes })) if (n !== 0) entries.set(name, n);
    for (const [state, n] of Object.entries(this.states)) if (n !== 0) entries.set(`state ${state}`, n);
    for (const name of COUNTS) for (const [key, n] of this[name]) entries.set(`${name} ${key}`, n);
    return entries;
  }

  #changeConnection(delivery: Delivery, from: Held["connection"], to: Held["connection"]): void {
    const { place, origin, accountId } = delivery;
    if ((from === null) !== (to === null)) this.#want(place, origin, step(to !== null));
    if (occupies(from) !== occupies(to)) {
      add(this.connectionsByPlace, place, step(occupies(to)));
      add(this.connectionsByAccount, accountId, step(occupies(to)));
    }
    if ((from === "assigned") !== (to === "assigned")) add(this.assignedByPlace, place, step(to === "assigned"));
    const reserved = delivery.needsNewConnection ? this.reservedNewByOrigin : this.reservedByOrigin;
    if ((from === "reserved") !== (to === "reserved")) add(reserved, origin, step(to === "reserved"));
  }

  #want(place: string, origin: string, change: 1 | -1): void {
    const before = this.wantedByPlace.get(place) ?? 0;
    add(this.wantedByPlace, place, change);
    const most = this.#connectionsPerPlace;
    const allowed = Math.min(before + change, most) - Math.min(before, most);
    if (allowed !== 0) add(this.wantedByOrigin, origin, allowed);
  }
}

/** Schedules are due together when their due times are in the same 10 ms. Returns a number for these. */
export const instantOf = (dueAtMs: number): number => Math.floor(dueAtMs / DELIVERY.instantMs);

/** Bounds memory: what a row takes besides its request, bytes. */
const ROW_BYTES = 1_024;

/** What a claimed delivery counts for, bytes. */
export const costOf = (delivery: Delivery): number => delivery.bytes + ROW_BYTES;

const COUNTS = [
  "memoryByLane",
  "memoryByInstant",
  "wantedByPlace",
  "wantedByOrigin",
  "connectionsByPlace",
  "connectionsByAccount",
  "assignedByPlace",
  "reservedByOrigin",
  "reservedNewByOrigin",
] as const;

const step = (isMore: boolean): 1 | -1 => (isMore ? 1 : -1);

function add<Key>(to: Counts<Key>, key: Key, change: number): void {
  const n = (to.get(key) ?? 0) + change;
  if (n !== 0) to.set(key, n);
  else to.delete(key);
}
