import { sql } from "drizzle-orm";
import { EXCHANGES_IN_FLIGHT_MAX } from "#domain/listeners.ts";
import type { DbOrTx } from "../../orm.ts";
import type { Listener } from "./open-listener.ts";

/** An exchange as a stream gets it: `request` is opened with `id`, `scheduleId` and `targetUrl`. */
export type HandedExchange = {
  id: string;
  scheduleId: string;
  attempt: number;
  targetUrl: string;
  deadlineMs: number;
  request: Buffer;
};

/** The most exchanges of one call. Each may have 256 KiB. */
export const HANDED_AT_ONCE_MAX = 8;

/**
 * Hands exchanges that wait to a listener, the oldest first, at most HANDED_AT_ONCE_MAX; call it again until it returns
 * fewer. The listener never has more than 100 unanswered ones.
 *
 * An exchange goes to one listener, once, and never to another one: rows that another listener is taking are skipped. A
 * listener without prefixes takes an exchange only if no live listener of the account has a prefix of its path. A stream
 * that has resumed its listener also gets the unanswered exchanges that were sent on the former stream, since that may
 * have been cut before they arrived. A stream that was replaced, or whose lease ran out, gets none.
 */
export async function handExchanges(db: DbOrTx, listener: Listener): Promise<HandedExchange[]> {
  const { id, accountId, epoch } = listener;
  const rows = await db.execute<Record<string, string>>(sql`
    WITH me AS MATERIALIZED (
      SELECT id, scope, paths, epoch, (
        SELECT count(*) FROM listen_exchanges x
        WHERE x.account_id = ${accountId} AND x.state IN ('waiting', 'handed') AND x.state = 'handed'
          AND x.listener_id = l.id AND x.listener_epoch = l.epoch AND x.deadline > clock_timestamp()) AS in_flight
      FROM listeners l
      WHERE id = ${id} AND account_id = ${accountId} AND epoch = ${epoch} AND lease_until > clock_timestamp()
    ), pick AS MATERIALIZED (
      SELECT x.id, me.id AS listener_id, me.epoch
      FROM me JOIN listen_exchanges x ON x.account_id = ${accountId} AND x.state IN ('waiting', 'handed')
      WHERE x.deadline > clock_timestamp() AND CASE x.state
        WHEN 'handed' THEN x.listener_id = me.id AND x.listener_epoch < me.epoch
        ELSE listener_takes(me.scope, me.paths, x.is_reserved, x.path) AND (me.paths <> '{}' OR NOT EXISTS (
          SELECT FROM listeners o
          WHERE o.account_id = ${accountId} AND o.lease_until > clock_timestamp() AND o.paths <> '{}'
            AND listener_takes(o.scope, o.paths, x.is_reserved, x.path)))
        END
      ORDER BY x.id LIMIT (SELECT least(${HANDED_AT_ONCE_MAX}, greatest(0, ${EXCHANGES_IN_FLIGHT_MAX} - in_flight)) FROM me)
      FOR UPDATE OF x SKIP LOCKED
    )
    UPDATE listen_exchanges x SET state = 'handed', listener_id = p.listener_id, listener_epoch = p.epoch
    FROM pick p, schedule_requests r
    WHERE x.id = p.id AND x.state IN ('waiting', 'handed') AND r.schedule_id = x.schedule_id
    RETURNING x.id, x.schedule_id, x.attempt, r.target_url, extract(epoch FROM x.deadline)::float8 * 1000 AS deadline_ms,
      encode(x.request, 'base64') AS request`);
  return rows.map(exchangeOf).sort((a, b) => (a.id < b.id ? -1 : 1));
}

// biome-ignore lint/suspicious/noExplicitAny: a row as the driver gives it
function exchangeOf(row: any): HandedExchange {
  return {
    id: row.id,
    scheduleId: row.schedule_id,
    attempt: row.attempt,
    targetUrl: row.target_url,
    deadlineMs: Math.round(row.deadline_ms),
    request: Buffer.from(row.request, "base64"),
  };
}
