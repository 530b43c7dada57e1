import { NOTIFY_HORIZON_MS } from "#domain/timing.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { HELD } from "./held.ts";

/** How long before an occurrence fires it is decided whether it does, ms. */
const AHEAD_MS = 2_000;

/** What was decided for a recurrence: instants that were skipped, and when the next decision is due; epoch ms. */
export type Released = { skippedMs: number[]; nextAtMs: number | null };

/** Holds occurrences (UUIDs of schedules) that this transaction has created. */
export async function holdOccurrences(tx: Sql, ids: readonly string[]): Promise<void> {
  await tx`UPDATE schedules SET next_attempt_at = ${HELD}::timestamptz WHERE id = ANY (${pgArray(ids)}::text::uuid[])`;
}

/** Releases or skips the held occurrences of recurrences (UUIDs), locked by this transaction, that are due. */
export async function releaseOccurrences(
  tx: Sql,
  tenant: Tenant,
  recurrenceIds: readonly string[],
): Promise<Map<string, Released>> {
  const rows = await tx`
    SELECT recurrence_id AS id, extract(epoch FROM next_at)::float8 * 1000 AS next_at_ms,
      array_to_json(ARRAY(SELECT extract(epoch FROM s)::float8 * 1000 FROM unnest(skipped) s)) AS skipped_ms
    FROM release_occurrences(
      ${tenant.accountId}::uuid, ${tenant.env}, ${pgArray(recurrenceIds)}::text::uuid[], ${HELD}::timestamptz, ${AHEAD_MS},
      ${NOTIFY_HORIZON_MS})`;
  return new Map(
    rows.map(({ id, next_at_ms, skipped_ms }) => [
      id,
      {
        skippedMs: skipped_ms.map(Math.round),
        nextAtMs: next_at_ms === null ? null : Math.round(next_at_ms) - AHEAD_MS,
      },
    ]),
  );
}
