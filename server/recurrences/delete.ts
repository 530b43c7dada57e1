import { deleteLocked, takeBack } from "#db/queries/recurrences/change.ts";
import type { Ctx } from "../context.ts";
import { type ChangedRecurrence, changeByKey } from "./change.ts";

/**
 * Deletes the recurrence that has a key, and takes back what it had made and has not left. Returns it as it was. Throws what
 * `changeByKey` throws.
 */
export async function deleteRecurrence(ctx: Ctx, textKey: string): Promise<ChangedRecurrence> {
  return changeByKey(ctx, textKey, async (tx, row) => {
    const { taken, inFlight } = await takeBack(tx, ctx.tenant, row.id);
    await deleteLocked(tx, row.id);
    return { row, taken, inFlight };
  });
}
