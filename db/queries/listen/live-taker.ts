import type { PendingQuery, Row } from "postgres";
import type { Sql } from "../../client.ts";

/** The live listeners that take the exchange `x`. */
export const LIVE_TAKER = (sql: Sql): PendingQuery<Row[]> => sql`
  SELECT FROM listeners l
  WHERE l.account_id = x.account_id AND l.lease_until > clock_timestamp()
    AND listener_takes(l.scope, l.paths, x.is_reserved, x.path)`;
