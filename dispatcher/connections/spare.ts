import type { Delivery } from "../delivery/delivery.ts";
import type { Holdings } from "../delivery/holdings.ts";
import { STATES } from "../delivery/states.ts";
import { isSlow, type Origin, openOf } from "./origin.ts";

/**
 * How many connections beyond `allowed` an origin may have while its oldest request is slow. They are for accounts with
 * few requests there.
 */
export const SPARE_MAX = 16;
/** An account with at most this many requests at an origin has few there. */
const FEW = 4;

/**
 * Whether the account of `delivery` has few requests that are on the wire to its origin or have reserved a connection.
 * `delivery` itself may be one of them.
 */
export const hasFew = ({ place }: Delivery, holdings: Readonly<Holdings>): boolean =>
  (holdings.connectionsByPlace.get(place) ?? 0) <= FEW;

/**
 * Whether the account of `delivery`, which is not on the wire itself, has few requests on the wire to its origin.
 * Reserved connections do not count, since waiting requests take no connection from other accounts.
 */
export const sendsFew = ({ place }: Delivery, holdings: Readonly<Holdings>): boolean =>
  (holdings.assignedByPlace.get(place) ?? 0) < FEW;

/**
 * Whether `delivery` may use a free connection. While more connections are open than are allowed, the ones beyond are
 * for accounts with few requests on the wire.
 */
export const mayUse = (origin: Origin, delivery: Delivery, holdings: Readonly<Holdings>): boolean =>
  openOf(origin) <= origin.allowed || origin.busy.size < origin.allowed || sendsFew(delivery, holdings);

/**
 * Whether `delivery` may be let through for a spare connection although hanging requests of other accounts have
 * reserved all others.
 */
export const maySpare = (origin: Origin, delivery: Delivery, holdings: Readonly<Holdings>, nowMs: number): boolean =>
  hasFew(delivery, holdings) &&
  canSpare(origin, nowMs) &&
  (origin.spare.has(delivery) || spareTaken(origin) < SPARE_MAX);

/** Whether a spare connection is left for any delivery. */
export const hasSpare = (origin: Origin, nowMs: number): boolean =>
  canSpare(origin, nowMs) && spareTaken(origin) < SPARE_MAX;

const canSpare = (origin: Origin, nowMs: number): boolean => isSlow(origin, nowMs) && !origin.isStuck;

/** Notes that `delivery` is let through, which may be for a spare connection. */
export function noteSpare(origin: Origin, delivery: Delivery, holdings: Readonly<Holdings>, nowMs: number): void {
  if (maySpare(origin, delivery, holdings, nowMs)) origin.spare.add(delivery);
  else if (origin.spare.size > 0 && !isSlow(origin, nowMs)) origin.spare.clear();
}

/**
 * How many deliveries were let through for a spare connection and have none yet. Drops those that have one, or gave up.
 */
function spareTaken(origin: Origin): number {
  for (const delivery of origin.spare) {
    const isUnderWay = delivery.state === "awaiting turn" || STATES[delivery.state].held.connection === "reserved";
    if (!isUnderWay) origin.spare.delete(delivery);
  }
  return origin.spare.size;
}
