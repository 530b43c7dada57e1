import type { ConnectionLimits } from "../connections/limits.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Holdings } from "../delivery/holdings.ts";
import { isWithinLimits } from "./account-limits.ts";
import type { Waiters } from "./waiters.ts";

/** The retry whose turn it is, among those that wait for the origin and whose account may have one more connection. */
export function nextRetry(
  { waitingForNew }: Waiters,
  limits: ConnectionLimits,
  holdings: Readonly<Holdings>,
): Delivery | undefined {
  if (waitingForNew.size === 0) return undefined;
  return waitingForNew.peek((delivery) => isWithinLimits(delivery, limits, holdings));
}

/** How many unused connections of the origin are for its retries, which can use no other. */
export const unusedForRetries = (waiters: Waiters, limits: ConnectionLimits, holdings: Readonly<Holdings>): number =>
  waiters.reservedNew + (nextRetry(waiters, limits, holdings) ? 1 : 0);
