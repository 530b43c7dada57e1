import type { Sql } from "../../client.ts";
import type { Tenant } from "../accounts/tenant.ts";

export type StoredRequest = {
  targetUrl: string;
  method: string;
  /** Null when there is neither payload nor header. */
  sealed: Buffer | null;
  /** Payload and headers, if there were any, were erased. */
  isErased: boolean;
};

/** What one schedule sends, by its UUID, unless it is another account's or another environment's. */
export async function findStoredRequest(sql: Sql, tenant: Tenant, id: string): Promise<StoredRequest | undefined> {
  const [row] = await sql`
    SELECT target_url, method, sealed, erased_at IS NOT NULL AS is_erased FROM schedule_requests
    WHERE schedule_id = ${id} AND account_id = ${tenant.accountId} AND env = ${tenant.env}`;
  return row && { targetUrl: row.target_url, method: row.method, sealed: row.sealed, isErased: row.is_erased };
}
