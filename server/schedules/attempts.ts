import { type AttemptRow, listAttemptsOfSchedule } from "#db/queries/attempts/list-of-schedule.ts";
import type { ScheduleRow } from "#db/queries/schedules/find.ts";
import type { Ctx } from "../context.ts";
import { getSchedule } from "./get.ts";

export type ScheduleAttempts = { schedule: ScheduleRow; attempts: AttemptRow[] };

/** A schedule and its attempts within the plan's retention window, oldest first. Throws NOT_FOUND. */
export async function listAttempts(ctx: Ctx, textId: string): Promise<ScheduleAttempts> {
  const schedule = await getSchedule(ctx, textId);
  const attempts = await ctx.query(({ db }) =>
    listAttemptsOfSchedule(db, ctx.tenant, schedule.id, ctx.limits.retentionDays),
  );
  return { schedule, attempts };
}
