import type { PauseInput } from "#contract/inputs/recurrence-input.ts";
import { invalid } from "#contract/inputs/validate.ts";
import { recurrenceEnded } from "#contract/refusals.ts";
import { pauseLocked, takeBack } from "#db/queries/recurrences/change.ts";
import type { Ctx } from "../context.ts";
import { type ChangedRecurrence, changeByKey, readChanged } from "./change.ts";

/**
 * Pauses the recurrence that has a key, until an instant or until it is resumed, and takes back what it had made and has not
 * left. One that is paused has the new note and end. Throws what `changeByKey` throws, VALIDATION for an end that is not in the
 * future, and CONFLICT when it has ended.
 */
export async function pauseRecurrence(ctx: Ctx, textKey: string, input: PauseInput): Promise<ChangedRecurrence> {
  const { note = null, until = null } = input;
  return changeByKey(ctx, textKey, async (tx, { id, key, status }, { nowMs }) => {
    if (until !== null && until <= nowMs) throw invalid([{ path: "until", message: "must be in the future" }]);
    if (status === "ended") throw recurrenceEnded("paused");
    const { taken, inFlight } = await takeBack(tx, ctx.tenant, id);
    await pauseLocked(tx, id, { note, untilMs: until });
    return { row: await readChanged(tx, ctx, key), taken, inFlight };
  });
}
