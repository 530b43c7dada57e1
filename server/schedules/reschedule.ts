import type { RescheduleInput } from "#contract/inputs/reschedule-input.ts";
import { notInFuture, type ReadTime, readTime } from "#contract/inputs/time-input.ts";
import { expiresBefore } from "#contract/refusals.ts";
import { readDatabaseClock } from "#db/queries/fleet/database-clock.ts";
import type { ScheduleRow } from "#db/queries/schedules/find.ts";
import { isPast, updateScheduled } from "#db/queries/schedules/reschedule.ts";
import type { FireTime } from "#domain/fire-time.ts";
import type { Ctx } from "../context.ts";
import { changeAtOnce } from "./change-at-once.ts";
import { conflictOf } from "./conflict.ts";
import { clockChangeOf } from "./create.ts";
import { getSchedule, scheduleIdOrThrow } from "./get.ts";

/** `clockChange` tells how the clocks change at a given local time; undefined without one. */
export type Rescheduled = ScheduleRow & Pick<ReadTime, "clockChange">;

/**
 * Moves a schedule that is still `scheduled`, by one conditional UPDATE. Throws VALIDATION when the time is not in the
 * future or not before the schedule expires, NOT_FOUND, or CONFLICT in any other status.
 */
export async function rescheduleSchedule(ctx: Ctx, textId: string, input: RescheduleInput): Promise<Rescheduled> {
  const id = scheduleIdOrThrow(textId);
  const time = readTime(input);
  if (time?.refusal) {
    await getSchedule(ctx, textId);
    throw time.refusal;
  }
  const change = { fireTime: time?.fireTime, earlyFire: input.earlyFire };
  // A claim can be released between the UPDATE and the read, which makes the schedule movable again: retry.
  for (let tries = 1; ; tries++) {
    const rescheduled = await changeAtOnce(ctx, ({ db }) => updateScheduled(db, ctx.tenant, id, change));
    if (rescheduled !== undefined) return { ...rescheduled, ...clockChangeOf({ time }) };
    const current = await getSchedule(ctx, textId);
    if (time && "atMs" in time.fireTime) {
      const { atMs } = time.fireTime;
      if (await ctx.query(({ db }) => isPast(db, atMs))) throw notInFuture(time.name);
    }
    if (time && current.status === "scheduled" && (await isBeyondExpiry(ctx, current, time.fireTime)))
      throw expiresBefore(time.name);
    if (current.status !== "scheduled" || tries === 3) throw await conflictOf(ctx, "rescheduled", current);
  }
}

async function isBeyondExpiry(ctx: Ctx, { delivery }: ScheduleRow, fireTime: FireTime): Promise<boolean> {
  if (delivery?.expiresAtMs === undefined) return false;
  const atMs =
    "atMs" in fireTime ? fireTime.atMs : (await ctx.query(({ sql }) => readDatabaseClock(sql))) + fireTime.inMs;
  return atMs >= delivery.expiresAtMs;
}
