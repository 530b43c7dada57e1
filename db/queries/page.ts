import { type SQL, sql } from "drizzle-orm";

/** A position in the order of a list: the instant by which the list is sorted and, within it, the id (UUID). */
export type PageCursor = { atMs: number; id: string };

/** `totalCapped`: there are more, or may be more, than `total`. */
export type Total = { total: number; totalCapped: boolean };

/**
 * One page of a list. `last` is the cursor of its last row. `isBounded`: the search ended early, at `last`, where it goes on;
 * the page may have fewer rows than were wanted, or none.
 */
export type Page<Row, Cursor = PageCursor> = Total & {
  rows: Row[];
  hasMore: boolean;
  last: Cursor | undefined;
  isBounded?: true;
};

/** The first `limit` of the rows that were found, of which there is one more when another page follows. */
export function pageOf<Row, Cursor>(
  found: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => Cursor,
): Pick<Page<Row, Cursor>, "rows" | "hasMore" | "last"> {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, hasMore: found.length > limit, last: last && cursorOf(last) };
}

/** A cursor as a row of SQL, to be compared with the columns by which the list is sorted. */
export function cursorRow({ atMs, id }: PageCursor): SQL {
  return sql`(${new Date(atMs).toISOString()}::timestamptz, ${id}::uuid)`;
}
