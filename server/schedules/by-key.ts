import { readKey } from "#contract/inputs/key.ts";
import { scheduleNotFound } from "#contract/refusals.ts";
import type { ScheduleRow } from "#db/queries/schedules/find.ts";
import { findScheduleByKey } from "#db/queries/schedules/find-by-key.ts";
import { encodeId } from "#domain/ids.ts";
import type { Ctx } from "../context.ts";
import { cancelSchedule } from "./cancel.ts";

/** The schedule that has a key. Throws VALIDATION for a text that cannot be one, and NOT_FOUND. */
export async function getByKey(ctx: Ctx, textKey: string): Promise<ScheduleRow> {
  const key = readKey(textKey, "key");
  const row = await ctx.query(({ db }) => findScheduleByKey(db, ctx.tenant, key));
  if (row === undefined) throw scheduleNotFound("key");
  return row;
}

/** Cancels the schedule that has a key, as `cancelSchedule`. Throws what `getByKey` throws, and CONFLICT. */
export async function cancelByKey(ctx: Ctx, textKey: string): Promise<ScheduleRow> {
  const { id } = await getByKey(ctx, textKey);
  return cancelSchedule(ctx, encodeId("sch", id));
}
