import { optionsOfCopy, type RequestOptions } from "#domain/request-fields.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";
import type { Tenant } from "../accounts/tenant.ts";
import type { NewSchedule } from "./create.ts";

export type StoredRequest = Omit<RequestOptions, "earlyFire"> & {
  targetUrl: string;
  method: string;
  /** Null when there is neither payload nor header. */
  sealed: Buffer | null;
  /** Payload and headers were erased, if there were any. */
  isErased: boolean;
  isDead: boolean;
};

/**
 * What a copy of a schedule (`of`, its UUID) keeps as it is. Its target is validated again, and its content is sealed again,
 * so these are not here.
 */
export function keptByCopy(
  of: string,
  stored: StoredRequest,
): Pick<NewSchedule, "method" | "replayOf" | keyof RequestOptions> {
  return { method: stored.method, replayOf: of, ...optionsOfCopy(stored) };
}

/** The request of one schedule by its UUID; undefined when it belongs to another account or environment. */
export async function findStoredRequest(sql: Sql, tenant: Tenant, id: string): Promise<StoredRequest | undefined> {
  return (await findStoredRequests(sql, tenant, [id])).get(id);
}

/** As `findStoredRequest`, of several schedules, by their UUIDs. */
export async function findStoredRequests(
  sql: Sql,
  tenant: Tenant,
  ids: readonly string[],
): Promise<Map<string, StoredRequest>> {
  const rows = await sql<(StoredRequest & { id: string })[]>`
    SELECT r.schedule_id AS id, r.target_url AS "targetUrl", r.method, r.sealed, r.erased_at IS NOT NULL AS "isErased",
      s.delivery, s.status = 'dead' AS "isDead"
    FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
    WHERE r.schedule_id = ANY (${pgArray(ids)}::text::uuid[]) AND r.account_id = ${tenant.accountId} AND r.env = ${tenant.env}`;
  return new Map(rows.map(({ id, ...stored }) => [id, stored]));
}

/**
 * The sealed requests (base64) of the given schedules, to compare the text of a failure with what was sent. Null for a
 * schedule without one.
 */
export async function readSealedRequests(sql: Sql, ids: readonly string[]): Promise<Map<string, string | null>> {
  const rows = await sql`
    SELECT schedule_id, encode(sealed, 'base64') FROM schedule_requests
    WHERE schedule_id = ANY (${pgArray(ids)}::text::uuid[])`.values();
  return new Map(rows.map((row) => [row[0], row[1]]));
}
