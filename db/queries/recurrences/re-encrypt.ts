import type { Destination } from "#domain/associated-data.ts";
import type { Sql } from "../../client.ts";

export type SealedRecurrence = Destination & { sealed: Buffer };

/** The sealed requests of the next `rowsMax` recurrences that have one after `after` (UUID), in the order of their ids. */
export async function readSealedRecurrences(sql: Sql, after: string, rowsMax: number): Promise<SealedRecurrence[]> {
  return sql<SealedRecurrence[]>`
    SELECT id, account_id AS "accountId", env, method, target_url AS "targetUrl", sealed FROM recurrences
    WHERE id > ${after} AND sealed IS NOT NULL ORDER BY id LIMIT ${rowsMax}`;
}

/** Replaces the sealed request of a recurrence, unless it has changed since it was read. Returns how many it replaced. */
export async function replaceSealedRecurrence(sql: Sql, id: string, from: Buffer, sealed: Buffer): Promise<number> {
  const replaced = await sql`UPDATE recurrences SET sealed = ${sealed} WHERE id = ${id} AND sealed = ${from}`;
  return replaced.count;
}
