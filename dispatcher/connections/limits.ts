import type { Delivery } from "../delivery/delivery.ts";
import type { Holdings } from "../delivery/holdings.ts";
import type { Account } from "./accounts.ts";
import type { Origin } from "./origin.ts";

/** An account with fewer connections than this may use the last quarter of the process. */
const SMALL_ACCOUNT = 16;
const LARGE_ACCOUNTS_SHARE = 0.75;
/** All accounts together may use so much of the process for one origin. */
const ORIGIN_SHARE = 0.25;
/** One account may use so much of the process for connections that are being opened: hosts may not answer. */
const OPENING_SHARE = 0.125;

/** How many connections one account may have to one origin, one account in all, and the process. */
export type ConnectionLimits = { perOrigin: number; perAccount: number; total: number };

/** Whether the account of `delivery` may reserve one more connection to its origin. */
export function isWithinLimits(delivery: Delivery, limits: ConnectionLimits, holdings: Readonly<Holdings>): boolean {
  const here = holdings.connectionsByPlace.get(delivery.place) ?? 0;
  return here < limits.perOrigin && hasFewerInAll(delivery.accountId, limits, holdings);
}

/** Whether account `id` may reserve one more connection, to an origin that it has room at. */
export const hasFewerInAll = (id: string, limits: ConnectionLimits, holdings: Readonly<Holdings>): boolean =>
  (holdings.connectionsByAccount.get(id) ?? 0) < limits.perAccount;

/** The retry whose turn it is among those that wait for `origin` and may have one more connection. */
export function nextRetry(
  origin: Origin,
  limits: ConnectionLimits,
  holdings: Readonly<Holdings>,
): Delivery | undefined {
  if (origin.waitingForNew.size === 0) return undefined;
  return origin.waitingForNew.peek((delivery) => isWithinLimits(delivery, limits, holdings));
}

/** How many connections all accounts together may have to one origin. */
export const originMax = ({ total }: ConnectionLimits): number => Math.max(Math.floor(total * ORIGIN_SHARE), 1);

/** How many connections one account may be opening at once; each resolves its name first. */
const openingMax = ({ total }: ConnectionLimits): number => Math.max(Math.floor(total * OPENING_SHARE), 1);

/** Whether `account` may be opening another connection, which may be in the place of an idle one. */
export const mayOpenAnother = ({ busy, opening }: Account, limits: ConnectionLimits): boolean =>
  opening < openingMax(limits) && busy + opening < limits.perAccount;

/** Whether `account` has as many connections as it may; undefined: it has none. */
export const isFull = (account: Account | undefined, { perAccount }: ConnectionLimits): account is Account =>
  account !== undefined && account.connections >= perAccount;

/** How many connections the process may have when one is opened for `account`; undefined: one that has none. */
export function totalMax(account: Account | undefined, { total }: ConnectionLimits): number {
  const isSmall = account === undefined || account.connections < SMALL_ACCOUNT;
  return isSmall ? total : total * LARGE_ACCOUNTS_SHARE;
}
