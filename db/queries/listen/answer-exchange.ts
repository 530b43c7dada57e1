import { sql } from "drizzle-orm";
import type { ExchangeIdentity } from "#domain/associated-data.ts";
import type { DbOrTx } from "../../orm.ts";

/**
 * - `answered`: the answer was stored
 * - `again`: this listener has answered it before, and this answer was dropped
 * - `over`: nobody waits for an answer any more
 * - `of another`: another listener of the account has it
 * - `unknown`: the account has no such exchange, or no longer
 */
export type AnswerResult = "answered" | "again" | "over" | "of another" | "unknown";

/**
 * Stores the answer of a listener to exchange `id` (UUIDs), and wakes the dispatcher that waits for it. `seal` seals the
 * answer for the exchange. The request is erased with it.
 */
export async function answerExchange(
  db: DbOrTx,
  accountId: string,
  { id, listenerId }: { id: string; listenerId: string },
  seal: (of: ExchangeIdentity) => Buffer,
): Promise<AnswerResult> {
  const found = await find(db, accountId, id);
  const judged = judge(found, listenerId);
  if (found === undefined || judged !== "answered") return judged;
  const stored = await db.execute(sql`
    WITH done AS (
      UPDATE listen_exchanges SET state = 'answered', answer = ${seal({ ...found, id })}, request = NULL
      WHERE id = ${id} AND account_id = ${accountId} AND state = 'handed' AND listener_id = ${listenerId}
        AND deadline > clock_timestamp()
      RETURNING id
    )
    SELECT pg_notify(due_channel(), 'answered:' || id) FROM done`);
  if (stored.length > 0) return "answered";
  const now = judge(await find(db, accountId, id), listenerId);
  return now === "answered" ? "over" : now;
}

type Found = { scheduleId: string; targetUrl: string; state: string; listenerId: string | null; isInTime: boolean };

async function find(db: DbOrTx, accountId: string, id: string): Promise<Found | undefined> {
  const [row] = await db.execute<Found>(sql`
    SELECT x.schedule_id AS "scheduleId", r.target_url AS "targetUrl", x.state, x.listener_id AS "listenerId",
      x.deadline > clock_timestamp() AS "isInTime"
    FROM listen_exchanges x JOIN schedule_requests r ON r.schedule_id = x.schedule_id
    WHERE x.id = ${id} AND x.account_id = ${accountId}`);
  return row;
}

function judge(found: Found | undefined, listenerId: string): AnswerResult {
  if (found === undefined) return "unknown";
  const { state, isInTime } = found;
  if (state === "waiting" || (found.listenerId !== null && found.listenerId !== listenerId)) return "of another";
  if (state === "answered") return "again";
  return state === "handed" && isInTime ? "answered" : "over";
}
