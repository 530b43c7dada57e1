import { countReasons, type LeftAlone } from "#domain/operations.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { cancelLocked } from "../schedules/cancel-locked.ts";

/**
 * Cancels those of the given schedules that are `scheduled` or `failed`, as DELETE of one does, and counts why the
 * others were left alone. Locks rows in the order of their ids, like every statement that locks several.
 */
export async function cancelMembers(
  tx: Sql,
  tenant: Tenant,
  ids: readonly string[],
): Promise<{ cancelled: number; leftAlone: LeftAlone }> {
  let open = ids;
  let cancelled = 0;
  const left: (ScheduleStatus | null)[] = [];
  // An attempt that ends between the UPDATE and this read makes the schedule cancellable again.
  for (let tries = 1; open.length > 0; tries++) {
    const done = new Set(await cancelOpen(tx, tenant, open));
    cancelled += done.size;
    const refused = open.filter((id) => !done.has(id));
    const statuses = await readStatuses(tx, tenant, refused);
    open = [];
    for (const id of refused) {
      const status = statuses.get(id) ?? null;
      const isOpen = status === "scheduled" || status === "failed";
      if (isOpen && tries < TRIES_MAX) open = [...open, id];
      else left.push(isOpen ? "firing" : status);
    }
  }
  return { cancelled, leftAlone: countReasons(left.map((status) => status as CancelRefusal | null).map(reasonOf)) };
}

const TRIES_MAX = 3;

type CancelRefusal = Exclude<ScheduleStatus, "scheduled" | "failed">;

const reasonOf = (status: CancelRefusal | null) => status ?? "not_found";

async function cancelOpen(tx: Sql, { accountId, env }: Tenant, ids: readonly string[]): Promise<string[]> {
  const rows = await tx`
    WITH locked AS MATERIALIZED (
      SELECT id FROM schedules
      WHERE id = ANY (${pgArray(ids)}::text::uuid[]) AND account_id = ${accountId} AND env = ${env}
        AND status || '' IN ('scheduled', 'failed')
      ORDER BY id FOR UPDATE
    )
    ${cancelLocked(tx)}`;
  return rows.map((row) => row.id);
}

async function readStatuses(
  tx: Sql,
  { accountId, env }: Tenant,
  ids: readonly string[],
): Promise<Map<string, ScheduleStatus>> {
  if (ids.length === 0) return new Map();
  const rows = await tx`
    SELECT id, status FROM schedules
    WHERE id = ANY (${pgArray(ids)}::text::uuid[]) AND account_id = ${accountId} AND env = ${env}`;
  return new Map(rows.map((row) => [row.id, row.status]));
}
