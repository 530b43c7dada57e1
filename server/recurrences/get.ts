import { readKey } from "#contract/inputs/key.ts";
import { recurrenceNotFound } from "#contract/refusals.ts";
import { findRecurrence, type RecurrenceRow } from "#db/queries/recurrences/find.ts";
import type { Ctx } from "../context.ts";

/** The recurrence that has a key. Throws VALIDATION for a text that cannot be one, and NOT_FOUND. */
export async function getRecurrence(ctx: Ctx, textKey: string): Promise<RecurrenceRow> {
  const key = readKey(textKey, "key");
  const row = await ctx.query(({ sql }) => findRecurrence(sql, ctx.tenant, key));
  if (row === undefined) throw recurrenceNotFound();
  return row;
}
