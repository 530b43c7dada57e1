import type { RecurrenceListInput } from "#contract/inputs/recurrence-input.ts";
import type { Page } from "#db/queries/page.ts";
import { listRecurrences, type RecurrenceRow } from "#db/queries/recurrences/find.ts";
import type { Ctx } from "../context.ts";

/** One page of the caller's recurrences, the newest first. */
export async function listOwnRecurrences(ctx: Ctx, input: RecurrenceListInput): Promise<Page<RecurrenceRow>> {
  return ctx.query(({ sql }) => listRecurrences(sql, ctx.tenant, input));
}
