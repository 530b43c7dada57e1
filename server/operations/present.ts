import type { OperationRow } from "#db/queries/operations/operations.ts";
import { writeFilters } from "#domain/filters.ts";
import { encodeId } from "#domain/ids.ts";
import type { OperationFilter } from "#domain/operations.ts";

/** An operation as callers see it. */
export function presentOperation(row: OperationRow) {
  return {
    id: encodeId("op", row.id),
    action: row.action,
    status: row.status,
    filter: row.filter && presentFilter(row.filter),
    total: row.total,
    ...(row.totalCapped && { total_capped: true as const }),
    acted: row.acted,
    left_alone: row.leftAlone,
    error: row.errorCode === null ? null : { code: row.errorCode, message: FAILED },
    created_at: row.acceptedAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
  };
}

const FAILED = "A step failed several times in a row for a reason of our own. What was done before stays done.";

function presentFilter(filter: OperationFilter) {
  const { statuses, q, fromMs, toMs } = filter;
  return {
    status: statuses,
    q: q?.text ?? null,
    from: fromMs === null ? null : new Date(fromMs).toISOString(),
    to: toMs === null ? null : new Date(toMs).toISOString(),
    ...writeFilters(filter, null),
  };
}
