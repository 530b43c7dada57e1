import { findSchedule, type ScheduleRow } from "#db/queries/schedules/find.ts";
import { AppError } from "#domain/errors.ts";
import { decodeId } from "#domain/ids.ts";
import type { Ctx } from "../context.ts";

/** The schedule with this id (`sch_…`). Throws the same NOT_FOUND for a malformed or unknown id and for another account's. */
export async function getSchedule(ctx: Ctx, textId: string): Promise<ScheduleRow> {
  const id = scheduleIdOrThrow(textId);
  const row = await ctx.query(({ db }) => findSchedule(db, ctx.tenant, id));
  if (row === undefined) throw scheduleNotFound();
  return row;
}

/** Decodes a schedule id (`sch_…`) to its UUID. Throws NOT_FOUND for a malformed id. */
export function scheduleIdOrThrow(textId: string): string {
  const id = decodeId("sch", textId);
  if (id === null) throw scheduleNotFound();
  return id;
}

export function scheduleNotFound(): AppError {
  return new AppError("NOT_FOUND", "There is no schedule with this id.");
}
