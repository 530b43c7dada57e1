import { readDatabaseClock } from "#db/queries/fleet/database-clock.ts";
import type { ScheduleRow } from "#db/queries/schedules/find.ts";
import { AppError } from "#domain/errors.ts";
import type { Ctx } from "../context.ts";

/**
 * CONFLICT that names the status and, for a `firing` schedule, when its attempt ends at the latest; `Retry-After` says the
 * same in seconds, at least 1.
 */
export async function statusConflict(
  ctx: Ctx,
  action: "cancelled" | "rescheduled" | "fired",
  { status, claimDeadline }: ScheduleRow,
): Promise<AppError> {
  const message = `A schedule that is ${status} cannot be ${action}.`;
  if (status !== "firing" || claimDeadline === null) return new AppError("CONFLICT", message);
  const leftMs = claimDeadline.getTime() - (await ctx.query(({ sql }) => readDatabaseClock(sql)));
  const advice = `An attempt is in progress and ends by ${claimDeadline.toISOString()}: try again then.`;
  return new AppError("CONFLICT", `${message} ${advice}`, {
    headers: { "Retry-After": String(Math.max(1, Math.ceil(leftMs / 1_000))) },
  });
}
