import { sql } from "drizzle-orm";
import type { DbOrTx } from "../../orm.ts";
import { pgArray } from "../../pg-array.ts";

/** An exchange that has ended: `isOver` without an answer. */
export type EndedExchange = { id: string; isOver: boolean };

/** Which of the exchanges `ids` (UUIDs), which a stream has sent, have ended. */
export async function findEndedExchanges(
  db: DbOrTx,
  accountId: string,
  ids: readonly string[],
): Promise<EndedExchange[]> {
  return db.execute<EndedExchange>(sql`
    SELECT w.id, (x.state IS DISTINCT FROM 'answered') AS "isOver" FROM unnest(${pgArray(ids)}::text::uuid[]) w(id)
    LEFT JOIN listen_exchanges x ON x.id = w.id AND x.account_id = ${accountId}
    WHERE x.id IS NULL OR x.state IN ('answered', 'over') OR x.deadline <= clock_timestamp()
    LIMIT ${ids.length}`);
}
