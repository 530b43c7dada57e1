import { type SQL, sql } from "drizzle-orm";
import type { Db, DbOrTx } from "../../orm.ts";
import type { Total } from "../page.ts";

/** Filtered totals are exact up to this number. */
export const COUNTED_MAX = 10_000;

export type Window = { limit: number; offset: number };

/**
 * `keys` has the rows of the page, and one row more where there is one. `place`: the search was bounded, and goes on behind
 * this row, which need not match.
 */
export type Found<Key> = Total & { keys: Key[]; place?: Key | undefined };

/**
 * Runs `work` in a transaction in which the planner may only read indexes in their order. Its statistics say nothing
 * about one account's rows, and the plan that it takes for faster may read the whole table. `nowMs` is the time of the
 * transaction: an instant that is computed from it here is a constant in SQL, by which the planner leaves out
 * partitions.
 */
export function byIndexes<T>(db: Db, work: (tx: DbOrTx, nowMs: number) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    // Parallel workers would read the second part of a UNION ALL beside the first.
    const off = ["enable_seqscan", "enable_bitmapscan", "enable_sort", "max_parallel_workers_per_gather"];
    const [row] = await tx.execute<{ now: number }>(sql`
      SELECT extract(epoch FROM now())::float8 * 1000 AS now, count(set_config(name, '0', true))
      FROM unnest(${`{${off}}`}::text::text[]) name`);
    if (!row) throw new Error("the statement for the time returned no row");
    return work(tx, row.now);
  });
}

/** The result of one search pass: one statement over a bounded number of a list's rows. */
export type SearchPass<Key> = {
  /** The rows of the page and one more, among those that were found. */
  keys: Key[];
  /** How many rows match, as far as they were counted. */
  found: number;
  /** All rows that match were found. */
  isWhole: boolean;
  /** No row that was left out comes before those that were found. */
  isInOrder: boolean;
  /** The last row that was scanned, if all before it were, in the order of the list. */
  place?: Key | undefined;
};

/** Passes in the order in which they run. One that is not worth running returns null. */
export type Passes<Key> = (() => Promise<SearchPass<Key>> | null)[];

/**
 * Finds a page and its total by several passes, one after the other, until both are known. The total is known when a
 * pass was whole or counted past 10,000. The page is known when a pass was whole, or in order and long enough. When the last
 * pass was not whole, the search was bounded: its total is what was found, and a page that is not known ends at the last row
 * that a pass in order scanned. Which pass is fast depends on the rows of one account, which the planner knows nothing about.
 */
export async function search<Key>(passes: Passes<Key>, window: Window): Promise<Found<Key>> {
  let keys: Key[] | undefined;
  let isCapped = false;
  let found = 0;
  let partial: SearchPass<Key> | undefined;
  for (const pass of passes) {
    const seen = await pass();
    if (!seen) continue;
    found = Math.max(found, seen.found);
    if (seen.place) partial = seen;
    isCapped ||= seen.found > COUNTED_MAX;
    if (seen.isWhole && !isCapped) return { keys: seen.keys, total: seen.found, totalCapped: false };
    if (seen.isWhole || isLongEnough(seen, window)) keys ??= seen.keys;
    if (isCapped && keys) return { keys, total: COUNTED_MAX, totalCapped: true };
  }
  const page = keys ? { keys } : boundedPage(partial);
  return { ...page, total: Math.min(found, COUNTED_MAX), totalCapped: true };
}

/** The page as far as a pass in order found it, up to its last row. */
function boundedPage<Key>(partial: SearchPass<Key> | undefined): Pick<Found<Key>, "keys" | "place"> {
  if (!partial) throw new Error("no pass over the list was whole or in order");
  return { keys: partial.keys, place: partial.place };
}

/** The total that `search` finds, without a page. */
export async function searchTotal(passes: Passes<unknown>): Promise<Total> {
  let found = 0;
  for (const pass of passes) {
    const seen = await pass();
    if (seen && seen.found > COUNTED_MAX) return { total: COUNTED_MAX, totalCapped: true };
    if (seen?.isWhole) return { total: seen.found, totalCapped: false };
    found = Math.max(found, seen?.found ?? 0);
  }
  return { total: found, totalCapped: true };
}

/** The keys of a page and of one row more, without the total. The last pass must be whole, or one must be in order. */
export async function searchPage<Key>(
  passes: Passes<Key>,
  window: Window,
): Promise<Pick<Found<Key>, "keys" | "place">> {
  let partial: SearchPass<Key> | undefined;
  for (const pass of passes) {
    const seen = await pass();
    if (seen && (seen.isWhole || isLongEnough(seen, window))) return { keys: seen.keys };
    if (seen?.place) partial = seen;
  }
  return boundedPage(partial);
}

/** How many rows the last passes for a `q` read: each some 0.1 s, so that no search takes much more than twice that. */
export type TargetBounds = {
  /** Rows of the list, in its order. */
  list: number;
  /** Rows that the index of targets finds. */
  target: number;
};

/**
 * The passes for a `q`:
 *
 * 1. The first rows of the list.
 * 2. As many rows as are expected to hold enough matches, if the first rows have many.
 * 3. The index of targets, unless many of the first rows match: it reads all its entries for them before the first row.
 * 4. More rows of the list, for a page that is not known yet: the search goes on behind the last of them. Also to count, in
 *    place of the index.
 *
 * `enough`: the number of matches that ends a pass in order, from `rowsNeeded` or `rowsEnough`. `isFiltered`: the list
 * has other filters too, which may exclude most of the rows with a matching target. `isInOrder`: the index of targets is known
 * to find too many.
 */
export function passesForTarget<Key>(
  list: {
    first(rowsMax: number, foundMax: number): Promise<SearchPass<Key>>;
    byTarget(rowsMax: number): Promise<SearchPass<Key>>;
  },
  window: Window,
  options: { enough: number; isFiltered: boolean; bounds: TargetBounds; isInOrder?: boolean },
): Passes<Key> {
  const { enough, isFiltered, bounds, isInOrder = false } = options;
  let seen = { rows: 0, found: 0 };
  const first = async (rows: number) => {
    const pass = await list.first(rows, enough);
    seen = { rows, found: pass.found };
    return pass;
  };
  const expectedRows = () =>
    seen.found < FOUND_TO_EXTRAPOLATE ? Number.POSITIVE_INFINITY : Math.ceil((1.25 * enough * seen.rows) / seen.found);
  const knowsPage = () => seen.found >= rowsNeeded(window);
  const isByList = () => isInOrder || seen.found >= seen.rows * OFTEN;
  return [
    () => first(FIRST_PASS_ROWS),
    () => (expectedRows() <= bounds.list ? first(expectedRows()) : null),
    () => (isByList() ? null : list.byTarget(knowsPage() && !isFiltered ? enough : bounds.target)),
    // A total alone needs no place to go on at.
    () => (!isByList() && (knowsPage() || window.limit === 0) ? null : first(bounds.list)),
  ];
}

const FIRST_PASS_ROWS = 2_000;
/** With this many matches in the first pass, later rows are expected to match as often. */
const FOUND_TO_EXTRAPOLATE = 10;
/** The share of rows that match from which on the index of targets is slower than the list. */
const OFTEN = 0.05;

/** The number of first rows that decide the page and whether another follows. */
export function rowsNeeded({ limit, offset }: Window): number {
  return offset + limit + 1;
}

/** The number of rows that decide both page and total. */
export function rowsEnough(window: Window): number {
  return Math.max(COUNTED_MAX + 1, rowsNeeded(window));
}

function isLongEnough<Key>({ isInOrder, found }: SearchPass<Key>, window: Window): boolean {
  return isInOrder && found >= rowsNeeded(window);
}

export type PassStatement = {
  /** Selects the rows that are scanned, up to a limit. */
  scanned: (limit: number) => SQL;
  /** How many rows are scanned at most. */
  rowsMax: number;
  /** Selects the rows among `rows` that match; all of them when it is not given. */
  found?: (rows: SQL) => SQL;
  /** How many matching rows are found at most; no bound when it is not given. */
  foundMax?: number;
  /** Return rows only if all were scanned, because a part of them would be of no use. */
  isAllOrNone?: boolean;
  isInOrder: boolean;
};

/**
 * Runs one pass. It scans at most `rowsMax` rows and finds those that match, until there are `foundMax` of them. It
 * sorts them by `order`, cuts them to the page, and returns the JSON `key` of each. Neither set is read further than
 * needed. `behind` keeps the rows after a cursor, for statements that scan from the beginning of the list.
 */
export async function runPass<Key>(
  db: DbOrTx,
  window: Window,
  { order, key, behind = sql`true` }: { order: SQL; key: SQL; behind?: SQL | undefined },
  statement: PassStatement,
): Promise<SearchPass<Key>> {
  const { scanned, rowsMax, found = (rows) => sql`SELECT * FROM ${rows}`, foundMax = NO_BOUND, isInOrder } = statement;
  const isWhole = sql`(SELECT count(*) FROM scanned) <= ${rowsMax}::integer`;
  // A pass that ended early, with enough rows, has scanned no further.
  const isScanned = sql`(SELECT count(*) FROM found) < ${foundMax}`;
  const place =
    isInOrder && !statement.isAllOrNone
      ? sql`CASE WHEN ${isScanned} THEN (SELECT ${key} FROM scanned OFFSET ${rowsMax - 1} LIMIT 1) END`
      : sql`NULL`;
  const [row] = await db.execute<{ n: number; whole: boolean; keys: Key[]; place: Key | null }>(sql`
    WITH scanned AS MATERIALIZED (${scanned(rowsMax + 1)}),
    found AS MATERIALIZED (
      SELECT * FROM (${found(sql`(SELECT * FROM scanned LIMIT ${rowsMax}) l`)}) f
      WHERE ${behind} ${statement.isAllOrNone ? sql`AND ${isWhole}` : sql``} LIMIT ${foundMax}),
    page AS (SELECT * FROM found ORDER BY ${order} OFFSET ${window.offset} LIMIT ${window.limit + 1})
    SELECT (SELECT count(*)::integer FROM found) AS n,
      CASE WHEN ${isScanned} THEN ${isWhole} ELSE false END AS whole,
      (SELECT coalesce(json_agg(${key} ORDER BY ${order}), '[]') FROM page) AS keys, ${place} AS place`);
  if (!row) throw new Error("the statement of a search pass returned no row");
  return { keys: row.keys, found: row.n, isWhole: row.whole, isInOrder, ...(row.place && { place: row.place }) };
}

const NO_BOUND = Number.MAX_SAFE_INTEGER;
