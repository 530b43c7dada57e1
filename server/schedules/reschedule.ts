import type { ScheduleRow } from "#db/queries/schedules/find.ts";
import { isPast, updateScheduled } from "#db/queries/schedules/reschedule.ts";
import type { Ctx } from "../context.ts";
import { invalid } from "../input/validate.ts";
import { statusConflict } from "./conflict.ts";
import { getSchedule, scheduleIdOrThrow } from "./get.ts";
import type { RescheduleInput } from "./reschedule-input.ts";

/**
 * Moves a schedule that is still `scheduled`, by one conditional UPDATE. Throws VALIDATION when `fireAt` is not in the
 * future, NOT_FOUND, or CONFLICT in any other status.
 */
export async function rescheduleSchedule(ctx: Ctx, textId: string, input: RescheduleInput): Promise<ScheduleRow> {
  const id = scheduleIdOrThrow(textId);
  const { fireAt: fireAtMs, earlyFire } = input;
  const fireTime = fireAtMs === undefined ? undefined : { atMs: fireAtMs };
  // A claim can be released between the UPDATE and the read, which makes the schedule movable again: retry.
  for (let tries = 1; ; tries++) {
    const rescheduled = await ctx.query(({ db }) => updateScheduled(db, ctx.tenant, id, { fireTime, earlyFire }));
    if (rescheduled !== undefined) return rescheduled;
    const current = await getSchedule(ctx, textId);
    if (fireAtMs !== undefined && (await ctx.query(({ db }) => isPast(db, fireAtMs)))) {
      throw invalid([{ path: "fireAt", message: "must be in the future" }]);
    }
    if (current.status !== "scheduled" || tries === 3) throw await statusConflict(ctx, "rescheduled", current);
  }
}
