import type { Sql } from "../../client.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { pgArray } from "../pg-array.ts";

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

/** The sealed requests of the given schedules, for comparing a failure's text with what was sent. */
export async function readSealedRequests(sql: Sql, ids: readonly string[]): Promise<Map<string, string | null>> {
  const rows = await sql`
    SELECT schedule_id, encode(sealed, 'base64') FROM schedule_requests
    WHERE schedule_id = ANY (${pgArray(ids)}::text::uuid[])`.values();
  return new Map(rows.map((row) => [row[0], row[1]]));
}
