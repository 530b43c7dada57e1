import type { Sql } from "#db/client.ts";

/**
 * Completes rows that were put into `schedules` by a statement of this folder and not by the create functions: whatever
 * those keep besides is made up for here. Call it once the rows are in; it takes all of the table.
 */
export async function finishDirectRows(_sql: Sql): Promise<void> {
  // The create functions keep nothing besides that a dispatcher reads.
}
