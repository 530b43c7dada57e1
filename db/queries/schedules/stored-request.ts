import { copiedOptions, type DeliveryOptions } from "#domain/delivery-options.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";
import type { Tenant } from "../accounts/tenant.ts";
import type { NewSchedule } from "./create.ts";

export type StoredRequest = {
  targetUrl: string;
  method: string;
  /** Null when there is neither payload nor header. */
  sealed: Buffer | null;
  /** Payload and headers were erased, if there were any. */
  isErased: boolean;
  /** Null without any. */
  delivery: DeliveryOptions | null;
  isDead: boolean;
};

/**
 * What a copy of a schedule (`of`, its UUID) keeps as it is. Its target is validated again, and its content is sealed again,
 * so these are not here. Whether it fires early is not kept: null is the account's setting.
 */
export function keptByCopy(
  of: string,
  { method, delivery }: StoredRequest,
): Pick<NewSchedule, "method" | "earlyFire" | "replayOf" | "delivery"> {
  return { method, earlyFire: null, replayOf: of, delivery: copiedOptions(delivery) };
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
  const rows = await sql`
    SELECT r.schedule_id, r.target_url, r.method, r.sealed, r.erased_at IS NOT NULL AS is_erased, s.delivery,
      s.status = 'dead' AS is_dead
    FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
    WHERE r.schedule_id = ANY (${pgArray(ids)}::text::uuid[]) AND r.account_id = ${tenant.accountId} AND r.env = ${tenant.env}`;
  return new Map(
    rows.map(({ schedule_id, target_url: targetUrl, is_erased: isErased, is_dead: isDead, ...row }) => [
      schedule_id,
      { targetUrl, method: row.method, sealed: row.sealed, isErased, delivery: row.delivery, isDead },
    ]),
  );
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
