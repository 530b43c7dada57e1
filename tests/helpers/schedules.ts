import type postgres from "postgres";
import type { KeyRing } from "#domain/cipher.ts";
import type { DeliveryOptions } from "#domain/delivery-options.ts";
import type { HeaderPairs } from "#domain/headers.ts";
import { newId } from "#domain/ids.ts";
import { packRequest, sealRequest } from "#domain/sealed-request.ts";
import { NOTIFY_HORIZON_MS } from "#domain/timing.ts";

export type ScheduleOverrides = {
  env?: "live" | "test";
  method?: string;
  headers?: HeaderPairs;
  payload?: string | null;
  early?: boolean;
  delivery?: DeliveryOptions;
};

/**
 * Creates a schedule with the real create statement; it fires now when `fireAt` is null, and when that instant has passed
 * before the statement came to the server, which happens on a slow machine. Returns its UUID.
 */
export async function createTestSchedule(
  sql: postgres.Sql,
  keyRing: KeyRing,
  accountId: string,
  targetUrl: string,
  fireAt: Date | null,
  overrides: ScheduleOverrides = {},
): Promise<string> {
  const id = newId(Date.now());
  const payload = overrides.payload ?? null;
  const packed = packRequest({ headers: overrides.headers ?? [], payload });
  const url = new URL(targetUrl);
  const method = overrides.method ?? "POST";
  const env = overrides.env ?? "live";
  const sealed = packed && sealRequest(keyRing, packed, { accountId, env, id, method, targetUrl: url.href });
  const create = (dueAt: Date | null) => sql`
    SELECT outcome, id FROM create_schedule(
      ${accountId}::uuid, ${env}, ${id}::uuid, ${dueAt?.toISOString() ?? null}::timestamptz, NULL,
      ${overrides.early ?? null}::boolean, false, ${url.href}, ${url.origin}, ${method},
      ${sealed}::bytea, ${payload === null ? 0 : Buffer.byteLength(payload)}, NULL, ${Buffer.alloc(32)}::bytea, NULL, NULL,
      1000000, 1000000, ${NOTIFY_HORIZON_MS}, NULL, NULL, NULL,
      ${overrides.delivery ? JSON.stringify(overrides.delivery) : null}::text::jsonb)`;
  const [asked] = await create(fireAt);
  const [row] = asked?.outcome === "past" ? await create(null) : [asked];
  if (row?.outcome !== "created") throw new Error(`expected outcome "created", got ${JSON.stringify(row)}`);
  return id;
}
