import type { Delivery } from "../delivery/delivery.ts";
import type { Holdings } from "../delivery/holdings.ts";

/** An account with fewer connections than this may use the last quarter of the process. */
const SMALL_ACCOUNT = 16;
const LARGE_ACCOUNTS_SHARE = 0.75;
/** All accounts together may use so much of the process for one origin. */
const ORIGIN_SHARE = 0.25;

/** How many connections one account may have to one origin, one account in all, and the process. */
export type ConnectionLimits = { perOrigin: number; perAccount: number; total: number };

/** Whether the account of `delivery` may have one more connection to its origin. */
export function isWithinLimits(delivery: Delivery, limits: ConnectionLimits, holdings: Readonly<Holdings>): boolean {
  return (
    (holdings.connectionsByPlace.get(delivery.place) ?? 0) < limits.perOrigin &&
    (holdings.connectionsByAccount.get(delivery.accountId) ?? 0) < limits.perAccount
  );
}

/** How many connections all accounts together may have to one origin. */
export const originMax = ({ total }: ConnectionLimits): number => Math.max(Math.floor(total * ORIGIN_SHARE), 1);

/** How many connections the process may have when one is opened for `delivery`. */
export function totalMax(
  delivery: Delivery | undefined,
  limits: ConnectionLimits,
  holdings: Readonly<Holdings>,
): number {
  const isSmall =
    delivery === undefined || (holdings.connectionsByAccount.get(delivery.accountId) ?? 0) < SMALL_ACCOUNT;
  return isSmall ? limits.total : limits.total * LARGE_ACCOUNTS_SHARE;
}
