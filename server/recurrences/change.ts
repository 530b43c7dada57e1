import { readKey } from "#contract/inputs/key.ts";
import { recurrenceNotFound } from "#contract/refusals.ts";
import type { Sql } from "#db/client.ts";
import { changeRecurrences, type TakenBack } from "#db/queries/recurrences/change.ts";
import { lockRecurrence, type RecurrenceRow } from "#db/queries/recurrences/find.ts";
import type { LockedAccount } from "#db/queries/recurrences/lock-account.ts";
import { Unauthorized } from "#domain/errors.ts";
import type { Ctx } from "../context.ts";

/** A recurrence as it is now, and what became of the occurrences that were made before. */
export type ChangedRecurrence = { row: RecurrenceRow } & Pick<TakenBack, "taken" | "inFlight">;

/**
 * Runs a change in one transaction, which is undone with `isDry`. Throws UNAUTHORIZED when the account is not active any more.
 */
export async function change<T>(
  ctx: Ctx,
  options: { isDry?: boolean },
  work: (tx: Sql, account: LockedAccount) => Promise<T>,
): Promise<T> {
  const changed = await ctx.query(({ sql }) => changeRecurrences(sql, ctx.tenant, options, work));
  if (changed === undefined) throw new Unauthorized();
  return changed;
}

/**
 * Changes the recurrence that has a key, whose row is locked meanwhile. Throws VALIDATION for a text that cannot be a key, and
 * NOT_FOUND.
 */
export function changeByKey<T>(
  ctx: Ctx,
  textKey: string,
  work: (tx: Sql, found: RecurrenceRow, account: LockedAccount) => Promise<T>,
): Promise<T> {
  const key = readKey(textKey, "key");
  return change(ctx, {}, async (tx, account) => {
    const found = await lockRecurrence(tx, ctx.tenant, key);
    if (found === undefined) throw recurrenceNotFound();
    return work(tx, found, account);
  });
}

/** The recurrence after a change, within its transaction. */
export async function readChanged(tx: Sql, ctx: Ctx, key: string): Promise<RecurrenceRow> {
  const row = await lockRecurrence(tx, ctx.tenant, key);
  if (row === undefined) throw new Error("a recurrence is gone, although its row was locked");
  return row;
}
