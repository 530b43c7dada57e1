import { mostFor } from "../delivery/reserve.ts";
import { CONNECTIONS } from "../tuning/connections.ts";
import { RESERVED } from "../tuning/delivery.ts";
import type { Account } from "./accounts.ts";

/** The most connections of one account to one origin, of one account in all, and of the process. */
export type ConnectionLimits = { perOrigin: number; perAccount: number; total: number };

/** The most connections that all accounts together may have to one origin. */
export const originMax = ({ total }: ConnectionLimits): number =>
  Math.max(Math.floor(total * CONNECTIONS.originShare), 1);

/** The most connections that one account may be opening at once. Each resolves its name first. */
const openingMax = ({ total }: ConnectionLimits): number => Math.max(Math.floor(total * CONNECTIONS.openingShare), 1);

/** Whether `account` may open another connection, after closing one of its idle ones if needed. */
export const mayOpenAnother = ({ busy, opening }: Account, limits: ConnectionLimits): boolean =>
  opening < openingMax(limits) && busy + opening < limits.perAccount;

/** Whether `account` has as many connections as it may. An undefined account has none. */
export const isFull = (account: Account | undefined, { perAccount }: ConnectionLimits): account is Account =>
  account !== undefined && account.connections >= perAccount;

/** The most connections that the process may have when one is opened for `account`, which is undefined while it has none. */
export function maxOfAll({ total }: ConnectionLimits, account: Account | undefined): number {
  const isSmall = account === undefined || account.connections < CONNECTIONS.smallAccount;
  return mostFor(total, total * RESERVED.shareForSmallAccounts, isSmall);
}
