import type { Delivery } from "../delivery/delivery.ts";
import type { Holdings } from "../delivery/holdings.ts";
import type { Account } from "./accounts.ts";
import type { Origin } from "./origin.ts";

/** An account with fewer connections than this may use the last quarter of the process's connections. */
const SMALL_ACCOUNT = 16;
const LARGE_ACCOUNTS_SHARE = 0.75;
/** The share of the process's connections that all accounts together may have to one origin. */
const ORIGIN_SHARE = 0.25;
/** The share of the process's connections that one account may be opening at once: its hosts may not answer. */
const OPENING_SHARE = 0.125;

/** The most connections of one account to one origin, of one account in all, and of the process. */
export type ConnectionLimits = { perOrigin: number; perAccount: number; total: number };

/** Whether the account of `delivery` may reserve one more connection to its origin. */
export function isWithinLimits(delivery: Delivery, limits: ConnectionLimits, holdings: Readonly<Holdings>): boolean {
  const here = holdings.connectionsByPlace.get(delivery.place) ?? 0;
  return here < limits.perOrigin && hasFewerInAll(delivery.accountId, limits, holdings);
}

/** Whether account `id` is below its limit in all. The limit at one origin is not checked. */
export const hasFewerInAll = (id: string, limits: ConnectionLimits, holdings: Readonly<Holdings>): boolean =>
  (holdings.connectionsByAccount.get(id) ?? 0) < limits.perAccount;

/** The retry whose turn it is, among those that wait for `origin` and whose account may have one more connection. */
export function nextRetry(
  origin: Origin,
  limits: ConnectionLimits,
  holdings: Readonly<Holdings>,
): Delivery | undefined {
  if (origin.waitingForNew.size === 0) return undefined;
  return origin.waitingForNew.peek((delivery) => isWithinLimits(delivery, limits, holdings));
}

/** The most connections that all accounts together may have to one origin. */
export const originMax = ({ total }: ConnectionLimits): number => Math.max(Math.floor(total * ORIGIN_SHARE), 1);

/** The most connections that one account may be opening at once. Each resolves its name first. */
const openingMax = ({ total }: ConnectionLimits): number => Math.max(Math.floor(total * OPENING_SHARE), 1);

/** Whether `account` may open another connection, after closing one of its idle ones if needed. */
export const mayOpenAnother = ({ busy, opening }: Account, limits: ConnectionLimits): boolean =>
  opening < openingMax(limits) && busy + opening < limits.perAccount;

/** Whether `account` has as many connections as it may. An undefined account has none. */
export const isFull = (account: Account | undefined, { perAccount }: ConnectionLimits): account is Account =>
  account !== undefined && account.connections >= perAccount;

/**
 * The most connections that the process may have when one is opened for `account`; undefined for an account that has
 * none.
 */
export function totalMax(account: Account | undefined, { total }: ConnectionLimits): number {
  const isSmall = account === undefined || account.connections < SMALL_ACCOUNT;
  return isSmall ? total : total * LARGE_ACCOUNTS_SHARE;
}
