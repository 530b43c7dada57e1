import type { PlanName } from "#domain/plans.ts";
import type { Sql } from "../../client.ts";
import type { Tenant } from "../accounts/tenant.ts";

/** The account of a change or step, whose row is locked; `nowMs` is by the database's clock, epoch ms. */
export type LockedAccount = { plan: PlanName; nowMs: number };

/**
 * Locks the row of an active account, before the rows of its recurrences. Undefined when it is not active; then too, its status
 * cannot change before the transaction ends.
 */
export async function lockAccount(tx: Sql, { accountId }: Tenant): Promise<LockedAccount | undefined> {
  const [account] = await tx<(LockedAccount & { isActive: boolean })[]>`
    SELECT plan, extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs", status = 'active' AS "isActive" FROM accounts
    WHERE id = ${accountId} FOR SHARE`;
  return account?.isActive ? account : undefined;
}
