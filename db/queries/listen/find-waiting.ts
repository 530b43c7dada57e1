import { sql } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { pgArray } from "../../pg-array.ts";

/** Which of these accounts have exchanges that wait for a listener. */
export async function findWaitingAccounts(db: DbOrTx, accountIds: readonly string[]): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    SELECT w.id FROM unnest(${pgArray(accountIds)}::text::uuid[]) w(id)
    WHERE EXISTS (
      SELECT FROM listen_exchanges x
      WHERE x.account_id = w.id AND x.state IN ('waiting', 'handed') AND x.state = 'waiting' AND x.deadline > clock_timestamp())
    LIMIT ${accountIds.length}`);
  return rows.map(({ id }) => id);
}
