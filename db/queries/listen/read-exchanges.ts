import type { ExchangeState } from "#domain/listeners.ts";
import type { Sql } from "../../client.ts";
import { pgArray } from "../../pg-array.ts";
import { LIVE_TAKER } from "./live-taker.ts";

export type ExchangeStanding = {
  id: string;
  state: ExchangeState;
  /** The sealed answer, while nobody has erased it. */
  answer: Buffer | null;
  /** Whether its listener is alive, or while it waits, any that takes it. */
  hasListener: boolean;
};

/** How the exchanges `ids` stand that a dispatcher waits for. Those that are no longer there are left out. */
export async function readExchanges(sql: Sql, ids: readonly string[]): Promise<ExchangeStanding[]> {
  const rows = await sql`
    SELECT x.id, x.state, encode(x.answer, 'base64'), CASE x.state
      WHEN 'handed' THEN EXISTS (SELECT FROM listeners l WHERE l.id = x.listener_id AND l.lease_until > clock_timestamp())
      WHEN 'waiting' THEN EXISTS (${LIVE_TAKER(sql)})
      ELSE true END
    FROM unnest(${pgArray(ids)}::text::uuid[]) w(id) JOIN listen_exchanges x ON x.id = w.id`.values();
  return rows.map(([id, state, answer, hasListener]) => ({
    id,
    state,
    hasListener,
    answer: answer === null ? null : Buffer.from(answer, "base64"),
  }));
}
