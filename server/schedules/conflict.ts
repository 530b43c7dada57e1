import { statusConflict } from "#contract/refusals.ts";
import { readDatabaseClock } from "#db/queries/fleet/database-clock.ts";
import type { ScheduleRow } from "#db/queries/schedules/find.ts";
import type { AppError } from "#domain/errors.ts";
import type { Ctx } from "../context.ts";

/** CONFLICT of a row, by the database's clock. */
export async function conflictOf(
  ctx: Ctx,
  action: Parameters<typeof statusConflict>[0],
  { status, claimDeadline }: ScheduleRow,
): Promise<AppError> {
  if (status !== "firing" || claimDeadline === null) return statusConflict(action, status);
  const nowMs = await ctx.query(({ sql }) => readDatabaseClock(sql));
  return statusConflict(action, status, { endsAtMs: claimDeadline.getTime(), nowMs });
}
