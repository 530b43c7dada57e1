import type { ScheduleRow } from "#db/queries/schedules/find.ts";
import { makeDue } from "#db/queries/schedules/fire.ts";
import { isPast } from "#db/queries/schedules/reschedule.ts";
import type { Ctx } from "../context.ts";
import { changeAtOnce } from "./change-at-once.ts";
import { conflictOf } from "./conflict.ts";
import { getSchedule, scheduleIdOrThrow } from "./get.ts";

/**
 * Moves a schedule that is `scheduled` to now, or makes the next retry of one that is `failed` due now, by one conditional
 * UPDATE. Idempotent: one that is due already stays as it is. Throws NOT_FOUND, or CONFLICT in any other status.
 */
export async function fireSchedule(ctx: Ctx, textId: string): Promise<ScheduleRow> {
  const id = scheduleIdOrThrow(textId);
  // A claim can be released, or an attempt end, between the UPDATE and the read: retry.
  for (let tries = 1; ; tries++) {
    const fired = await changeAtOnce(ctx, ({ db }) => makeDue(db, ctx.tenant, id));
    if (fired !== undefined) return fired;
    const current = await getSchedule(ctx, textId);
    const { status, nextAttemptAt } = current;
    const isOpen = status === "scheduled" || status === "failed";
    if (isOpen && nextAttemptAt && (await ctx.query(({ db }) => isPast(db, nextAttemptAt.getTime())))) return current;
    if (!isOpen || tries === 3) throw await conflictOf(ctx, "fired", current);
  }
}
