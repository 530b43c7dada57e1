import type { Sql } from "../../client.ts";

/** A live listener of scope `all`, with the prefixes of the paths that it takes (none: every path). */
export type CatchAll = { accountId: string; paths: string[] };

const ROWS_MAX = 10_000;

/** The live listeners of scope `all`, of every account. */
export async function readListenersOfAll(sql: Sql): Promise<CatchAll[]> {
  const rows = await sql`
    SELECT account_id, to_json(paths) FROM listeners WHERE lease_until > clock_timestamp() AND scope || '' = 'all'
    LIMIT ${ROWS_MAX}`.values();
  return rows.map(([accountId, paths]) => ({ accountId, paths }));
}
