import type { ShownOperation } from "#components/schedules/operation-progress.tsx";
import type { presentOperation } from "#server/operations/present.ts";

/** The operation that a page shows, from its form in the API. */
export function shownOperation(operation: ReturnType<typeof presentOperation>): ShownOperation {
  const { id, action, status, filter, total, total_capped, acted, left_alone, error, created_at, ended_at } = operation;
  const instant = (text: string | null) => (text === null ? null : new Date(text));
  return {
    id,
    action,
    status,
    total,
    totalCapped: total_capped === true,
    acted,
    leftAlone: left_alone,
    filter: filter && { ...filter, statuses: filter.status, from: instant(filter.from), to: instant(filter.to) },
    error: error?.message ?? null,
    createdAt: new Date(created_at),
    endedAt: instant(ended_at),
  };
}
