import { recurrenceEnded } from "#contract/refusals.ts";
import { resumeLocked } from "#db/queries/recurrences/change.ts";
import type { RecurrenceRow } from "#db/queries/recurrences/find.ts";
import { makeFirst } from "#db/queries/recurrences/make.ts";
import { spreadShareMs } from "#domain/recurrence.ts";
import type { Ctx } from "../context.ts";
import { changeByKey, readChanged } from "./change.ts";

/**
 * Has the recurrence that has a key go on from now, if it is paused, and makes its first occurrences in the same transaction.
 * Throws what `changeByKey` throws, and CONFLICT when it has ended.
 */
export async function resumeRecurrence(ctx: Ctx, textKey: string): Promise<RecurrenceRow> {
  return changeByKey(ctx, textKey, async (tx, row, account) => {
    if (row.status === "ended") throw recurrenceEnded("resumed");
    if (row.status === "active") return row;
    await resumeLocked(tx, row.id, Math.floor(account.nowMs) - spreadShareMs(row.id, row.spreadMs));
    await makeFirst(tx, ctx.tenant, row.id, account, ctx.config);
    return readChanged(tx, ctx, row.key);
  });
}
