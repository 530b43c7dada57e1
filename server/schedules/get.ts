import { scheduleNotFound } from "#contract/refusals.ts";
import { findSchedule, findSchedules, type ScheduleRow } from "#db/queries/schedules/find.ts";
import { decodeId } from "#domain/ids.ts";
import type { Ctx } from "../context.ts";

/** The schedule with this id (`sch_…`). Throws the same NOT_FOUND for a malformed or unknown id and for another account's. */
export async function getSchedule(ctx: Ctx, textId: string): Promise<ScheduleRow> {
  const id = scheduleIdOrThrow(textId);
  const row = await ctx.query(({ db }) => findSchedule(db, ctx.tenant, id));
  if (row === undefined) throw scheduleNotFound();
  return row;
}

/** The caller's own among the schedules with these ids (`sch_…`), in their order. */
export async function findOwnSchedules(ctx: Ctx, textIds: readonly string[]): Promise<ScheduleRow[]> {
  const ids = textIds.flatMap((textId) => decodeId("sch", textId) ?? []);
  if (ids.length === 0) return [];
  const rows = await ctx.query(({ db }) => findSchedules(db, ctx.tenant, ids));
  return ids.flatMap((id) => rows.find((row) => row.id === id) ?? []);
}

/** Decodes a schedule id (`sch_…`) to its UUID. Throws NOT_FOUND for a malformed id. */
export function scheduleIdOrThrow(textId: string): string {
  const id = decodeId("sch", textId);
  if (id === null) throw scheduleNotFound();
  return id;
}
