import { cancelOpenSchedule } from "#db/queries/schedules/cancel.ts";
import type { ScheduleRow } from "#db/queries/schedules/find.ts";
import { canTransition } from "#domain/states.ts";
import type { Ctx } from "../context.ts";
import { changeAtOnce } from "./change-at-once.ts";
import { conflictOf } from "./conflict.ts";
import { getSchedule, scheduleIdOrThrow } from "./get.ts";

/**
 * Cancels a schedule that is `scheduled` or `failed`, by one conditional UPDATE; idempotent. Throws NOT_FOUND, or CONFLICT
 * in any other status.
 */
export async function cancelSchedule(ctx: Ctx, textId: string): Promise<ScheduleRow> {
  const id = scheduleIdOrThrow(textId);
  // An attempt can end between the UPDATE and the read, which makes the schedule cancellable again: retry.
  for (let tries = 1; ; tries++) {
    const cancelled = await changeAtOnce(ctx, ({ db }) => cancelOpenSchedule(db, ctx.tenant, id));
    if (cancelled !== undefined) return cancelled;
    const current = await getSchedule(ctx, textId);
    if (current.status === "cancelled") return current;
    const isOpen = current.status !== "firing" && canTransition(current.status, "cancelled");
    if (!isOpen || tries === 3) throw await conflictOf(ctx, "cancelled", current);
  }
}
