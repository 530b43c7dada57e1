import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Tenant } from "./tenant.ts";

/** The condition that rows of `table` belong to a tenant. */
export function isOwnedBy(table: { accountId: PgColumn; env: PgColumn }, { accountId, env }: Tenant): SQL | undefined {
  return and(eq(table.accountId, accountId), eq(table.env, env));
}

/** The same as text, for statements that do not use the query builder. */
export const ownedBy = ({ accountId, env }: Tenant): SQL => sql`account_id = ${accountId} AND env = ${env}`;
