import type { ConnectionLimits } from "../connections/limits.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Holdings } from "../delivery/holdings.ts";

/** Whether the account of `delivery` may reserve one more connection to its origin. */
export function isWithinLimits(delivery: Delivery, limits: ConnectionLimits, holdings: Readonly<Holdings>): boolean {
  const here = holdings.connectionsByPlace.get(delivery.place) ?? 0;
  return here < limits.perOrigin && hasFewerInAll(delivery.accountId, limits, holdings);
}

/** Whether account `id` is below its limit in all. The limit at one origin is not checked. */
export const hasFewerInAll = (id: string, limits: ConnectionLimits, holdings: Readonly<Holdings>): boolean =>
  (holdings.connectionsByAccount.get(id) ?? 0) < limits.perAccount;
