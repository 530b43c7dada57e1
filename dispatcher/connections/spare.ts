import type { Delivery } from "../delivery/delivery.ts";
import type { Holdings } from "../delivery/holdings.ts";
import { STATES } from "../delivery/states.ts";
import { isSlow, type Origin } from "./origin.ts";

/**
 * How many connections beyond `allowed` an origin may have while its oldest request is slow. They are for accounts with
 * few requests there.
 */
export const SPARE_MAX = 16;
/** An account with at most this many requests on the wire to an origin has few there. */
const FEW = 4;

/**
 * Whether the account of `delivery` has few requests on the wire to its origin. `delivery` itself may be one of them.
 */
export const hasFew = ({ place }: Delivery, holdings: Readonly<Holdings>): boolean =>
  (holdings.connectionsByPlace.get(place) ?? 0) <= FEW;

/**
 * Whether `delivery` may use a free connection. The connections beyond `allowed` are for accounts with few requests.
 */
export const mayUse = (origin: Origin, delivery: Delivery, holdings: Readonly<Holdings>): boolean =>
  origin.busy.size < origin.allowed || hasFew(delivery, holdings);

/**
 * Whether `delivery` may be let through for a spare connection although other accounts have reserved all others. Their
 * requests hang, and would make this account late.
 */
export function maySpare(origin: Origin, delivery: Delivery, holdings: Readonly<Holdings>, nowMs: number): boolean {
  return isSlow(origin, nowMs) && spareReserved(origin) < SPARE_MAX && hasFew(delivery, holdings);
}

/** Notes that `delivery` is let through, which may be for a spare connection. */
export function noteSpare(origin: Origin, delivery: Delivery, holdings: Readonly<Holdings>, nowMs: number): void {
  if (maySpare(origin, delivery, holdings, nowMs)) origin.spare.add(delivery);
  else if (origin.spare.size > 0 && !isSlow(origin, nowMs)) origin.spare.clear();
}

/** How many deliveries were let through for a spare connection and have none yet. Drops those that have one. */
function spareReserved(origin: Origin): number {
  for (const delivery of origin.spare) {
    if (STATES[delivery.state].held.connection !== "reserved") origin.spare.delete(delivery);
  }
  return origin.spare.size;
}
