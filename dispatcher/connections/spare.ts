import type { Delivery } from "../delivery/delivery.ts";
import type { Holdings } from "../delivery/holdings.ts";
import { STATES } from "../delivery/states.ts";
import { isSlow, type Origin } from "./origin.ts";

/** An origin has so many connections beyond those allowed, while its oldest request is slow: for accounts with few there. */
export const SPARE_MAX = 16;
/** An account with so many requests under way to an origin, or fewer, has few. */
const FEW = 4;

/** Whether the account of `delivery` has few requests under way to its origin; `delivery` itself may be one of them. */
export const hasFew = ({ place }: Delivery, holdings: Readonly<Holdings>): boolean =>
  (holdings.connectionsByPlace.get(place) ?? 0) <= FEW;

/** Whether `delivery` may use a free connection: the last ones of a slow origin are for accounts with few requests. */
export const mayUse = (origin: Origin, delivery: Delivery, holdings: Readonly<Holdings>): boolean =>
  origin.busy.size < origin.allowed || hasFew(delivery, holdings);

/**
 * Whether `delivery` may be let through for a spare connection, though other accounts have reserved every other one:
 * their requests hang, and would make this account late.
 */
export function maySpare(origin: Origin, delivery: Delivery, holdings: Readonly<Holdings>, nowMs: number): boolean {
  return isSlow(origin, nowMs) && spareReserved(origin) < SPARE_MAX && hasFew(delivery, holdings);
}

/** Notes that `delivery` is let through, perhaps for a spare connection. */
export function noteSpare(origin: Origin, delivery: Delivery, holdings: Readonly<Holdings>, nowMs: number): void {
  if (maySpare(origin, delivery, holdings, nowMs)) origin.spare.add(delivery);
  else if (origin.spare.size > 0 && !isSlow(origin, nowMs)) origin.spare.clear();
}

/** How many deliveries were let through for a spare connection and have none yet. Forgets those that have. */
function spareReserved(origin: Origin): number {
  for (const delivery of origin.spare) {
    if (STATES[delivery.state].held.connection !== "reserved") origin.spare.delete(delivery);
  }
  return origin.spare.size;
}
