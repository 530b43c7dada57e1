import type { Delivery } from "../delivery/delivery.ts";
import type { Holdings } from "../delivery/holdings.ts";
import { STATES } from "../delivery/states.ts";
import { ADMISSION } from "../tuning/admission.ts";
import { RESERVED } from "../tuning/delivery.ts";
import type { Waiters } from "./waiters.ts";

/**
 * Whether the account of `delivery` has few requests that are on the wire to its origin or have reserved a connection.
 * `delivery` itself may be one of them.
 */
export const hasFew = ({ place }: Delivery, holdings: Readonly<Holdings>): boolean =>
  (holdings.connectionsByPlace.get(place) ?? 0) <= ADMISSION.fewOnTheWire;

/**
 * Whether the account of `delivery`, which is not on the wire itself, has few requests on the wire to its origin.
 * Reserved connections do not count, since waiting requests take no connection from other accounts.
 */
export const sendsFew = ({ place }: Delivery, holdings: Readonly<Holdings>): boolean =>
  (holdings.assignedByPlace.get(place) ?? 0) < ADMISSION.fewOnTheWire;

/**
 * Whether `delivery` may use a free connection. While more connections are open than are allowed, the ones beyond are
 * for accounts with few requests on the wire.
 */
export function mayUse({ origin }: Waiters, delivery: Delivery, holdings: Readonly<Holdings>): boolean {
  const allowed = origin.allowance.connections;
  return origin.open <= allowed || origin.busy.size < allowed || sendsFew(delivery, holdings);
}

/**
 * Whether `delivery` may be let through for a spare connection although hanging requests of other accounts have
 * reserved all others.
 */
export const maySpare = (waiters: Waiters, delivery: Delivery, holdings: Readonly<Holdings>, nowMs: number): boolean =>
  hasFew(delivery, holdings) &&
  canSpare(waiters, nowMs) &&
  (waiters.spare.has(delivery) || spareTaken(waiters) < RESERVED.ofOrigin);

/** Whether a spare connection is left for any delivery. */
export const hasSpare = (waiters: Waiters, nowMs: number): boolean =>
  canSpare(waiters, nowMs) && spareTaken(waiters) < RESERVED.ofOrigin;

const canSpare = (waiters: Waiters, nowMs: number): boolean => waiters.origin.isSlow(nowMs) && !waiters.areStuck;

/** Notes that `delivery` is let through, which may be for a spare connection. */
export function noteSpare(waiters: Waiters, delivery: Delivery, holdings: Readonly<Holdings>, nowMs: number): void {
  if (maySpare(waiters, delivery, holdings, nowMs)) waiters.spare.add(delivery);
  else if (waiters.spare.size > 0 && !waiters.origin.isSlow(nowMs)) waiters.spare.clear();
}

/**
 * How many deliveries were let through for a spare connection and have none yet. Drops those that have one, or gave up.
 */
function spareTaken({ spare }: Waiters): number {
  for (const delivery of spare) {
    const isUnderWay = delivery.state === "awaiting slot" || STATES[delivery.state].held.connection === "reserved";
    if (!isUnderWay) spare.delete(delivery);
  }
  return spare.size;
}
