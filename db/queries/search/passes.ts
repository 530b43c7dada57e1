import { type SQL, sql } from "drizzle-orm";
import type { Db, DbOrTx } from "../../orm.ts";

/** What a filtered total is counted up to. */
const COUNTED_MAX = 10_000;

/** How many of the newest rows a short `q` scans. */
export const SHORT_Q_ROWS = 10_000;

export type Window = { limit: number; offset: number };

/** Substring of the target URL in any letter case, or the whole id that `scheduleId` (UUID) is. */
export type Query = { text: string; scheduleId: string | null };

/** `keys` are those of the page and of one row more, where there is one. */
export type Found<Key> = { keys: Key[]; total: number; totalCapped: boolean };

/**
 * Runs `work` in a transaction that reads by indexes alone, in their order: estimates know nothing of one account's rows,
 * and what they take for faster may read the whole table. `nowMs` is the time of the transaction: what is computed from it
 * here is a constant there, by which the planner leaves out partitions.
 */
export function byIndexes<T>(db: Db, work: (tx: DbOrTx, nowMs: number) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    const settings = ["seqscan", "bitmapscan", "sort"].map((name) => `enable_${name}`);
    const [row] = await tx.execute<{ now: number }>(sql`
      SELECT extract(epoch FROM now())::float8 * 1000 AS now, count(set_config(name, 'off', true))
      FROM unnest(${`{${settings}}`}::text::text[]) name`);
    if (!row) throw new Error("the database did not tell the time");
    return work(tx, row.now);
  });
}

/** What one pass over a list found. */
export type SearchPass<Key> = {
  /** Those of the page and one more, among what was found. */
  keys: Key[];
  /** Rows that match, as far as they were counted. */
  found: number;
  /** Nothing that matches was left out. */
  isWhole: boolean;
  /** Nothing that was left out comes before what was found. */
  isInOrder: boolean;
};

/**
 * Finds a page and its total by several passes, each of which reads a bounded number of rows, until both are known: the
 * total when a pass was whole or counted past 10,000, the page when it was whole, or in order and long enough. The last
 * pass must be whole. Which one is fast depends on the rows of one account, which the planner knows nothing about.
 */
export async function search<Key>(
  passes: (() => Promise<SearchPass<Key>> | null)[],
  window: Window,
): Promise<Found<Key>> {
  let keys: Key[] | undefined;
  let isCapped = false;
  for (const pass of passes) {
    const seen = await pass();
    if (!seen) continue;
    isCapped ||= seen.found > COUNTED_MAX;
    if (seen.isWhole && !isCapped) return { keys: seen.keys, total: seen.found, totalCapped: false };
    if (seen.isWhole || isLongEnough(seen, window)) keys ??= seen.keys;
    if (isCapped && keys) return { keys, total: COUNTED_MAX, totalCapped: true };
  }
  throw new Error("no pass over the list was whole");
}

/** The total that `search` finds, without a page. */
export async function searchTotal(
  passes: (() => Promise<SearchPass<unknown>> | null)[],
): Promise<{ total: number; totalCapped: boolean }> {
  for (const pass of passes) {
    const seen = await pass();
    if (seen && seen.found > COUNTED_MAX) return { total: COUNTED_MAX, totalCapped: true };
    if (seen?.isWhole) return { total: seen.found, totalCapped: false };
  }
  throw new Error("no pass over the list was whole");
}

/**
 * The keys of the page, and of one row more, by passes that begin behind a row of the list. The last one must be whole. A
 * total is not among what they find: it is of the whole list.
 */
export async function pageBehind<Key>(passes: (() => Promise<SearchPass<Key>>)[], window: Window): Promise<Key[]> {
  for (const pass of passes) {
    const seen = await pass();
    if (seen.isWhole || isLongEnough(seen, window)) return seen.keys;
  }
  throw new Error("no pass that begins behind a row was whole");
}

/** As `passesForTarget`, for a page behind a row: nothing needs to be counted. */
export function passesForTargetBehind<Key>(
  list: {
    first(rowsMax: number, foundMax: number): Promise<SearchPass<Key>>;
    byTarget(rowsMax: number | null): Promise<SearchPass<Key>>;
  },
  window: Window,
): (() => Promise<SearchPass<Key>>)[] {
  return [
    () => list.first(FIRST_PASS_ROWS, rowsNeeded(window)),
    () => list.byTarget(TARGET_PASS_ROWS),
    () => list.first(LONG_PASS_ROWS, rowsNeeded(window)),
    () => list.byTarget(null),
  ];
}

/**
 * The passes for a `q`: over the first rows of the list; where it matches often, at many more; at what the index of targets
 * tells, which is slower than that where it matches often; and for a `q` that does so, but not among the first rows, at
 * many and in the end at all.
 */
export function passesForTarget<Key>(
  list: {
    first(rowsMax: number, foundMax: number): Promise<SearchPass<Key>>;
    byTarget(rowsMax: number | null): Promise<SearchPass<Key>>;
  },
  window: Window,
): (() => Promise<SearchPass<Key>> | null)[] {
  const enough = rowsEnough(window);
  let first: SearchPass<Key> | undefined;
  const denseRows = () => Math.ceil((1.25 * enough * FIRST_PASS_ROWS) / Math.max(first?.found ?? 0, 1));
  return [
    async () => {
      first = await list.first(FIRST_PASS_ROWS, enough);
      return first;
    },
    () => (denseRows() <= LONG_PASS_ROWS ? list.first(denseRows(), enough) : null),
    () => list.byTarget(first && isLongEnough(first, window) ? enough : TARGET_PASS_ROWS),
    () => list.first(LONG_PASS_ROWS, enough),
    () => list.byTarget(null),
  ];
}

const FIRST_PASS_ROWS = 2_000;
const LONG_PASS_ROWS = 200_000;
/** More than are counted, so that the page of somewhat more than that is found as well. */
const TARGET_PASS_ROWS = 25_000;

/** Rows that decide a page, from the first of the list on, and whether another follows. */
export function rowsNeeded({ limit, offset }: Window): number {
  return offset + limit + 1;
}

/** Rows after which both page and total are known. */
export function rowsEnough(window: Window): number {
  return Math.max(COUNTED_MAX + 1, rowsNeeded(window));
}

function isLongEnough<Key>({ isInOrder, found }: SearchPass<Key>, window: Window): boolean {
  return isInOrder && found >= rowsNeeded(window);
}

export type PassStatement = {
  /** Selects what is scanned at, up to a limit (null: all). */
  scanned: (limit: number | null) => SQL;
  /** Null: no bound. */
  rowsMax: number | null;
  /** Selects what matches of `rows`; everything unless it is given. */
  found?: (rows: SQL) => SQL;
  /** Unless it is given, no bound. */
  foundMax?: number;
  isInOrder: boolean;
};

/**
 * Runs one pass: of at most `rowsMax` rows those that match, until there are `foundMax` of them, sorted by `order`, cut to
 * the page, each as the JSON that `key` makes. Both sets are read only as far as they are asked for. `behind` leaves what
 * comes behind some row, for what is `scanned` at from the beginning of the list.
 */
export async function runPass<Key>(
  db: DbOrTx,
  window: Window,
  { order, key, behind = sql`true` }: { order: SQL; key: SQL; behind?: SQL | undefined },
  { scanned, rowsMax, found = (rows) => sql`SELECT * FROM ${rows}`, foundMax = NO_BOUND, isInOrder }: PassStatement,
): Promise<SearchPass<Key>> {
  const [row] = await db.execute<{ n: number; whole: boolean; keys: Key[] }>(sql`
    WITH scanned AS MATERIALIZED (${scanned(rowsMax === null ? null : rowsMax + 1)}),
    found AS MATERIALIZED (
      SELECT * FROM (${found(sql`(SELECT * FROM scanned ${limited(rowsMax)}) l`)}) f WHERE ${behind} LIMIT ${foundMax}),
    page AS (SELECT * FROM found ORDER BY ${order} OFFSET ${window.offset} LIMIT ${window.limit + 1})
    SELECT (SELECT count(*)::integer FROM found) AS n,
      CASE WHEN (SELECT count(*) FROM found) < ${foundMax}
        THEN (SELECT count(*) FROM scanned) <= ${rowsMax ?? NO_BOUND} ELSE false END AS whole,
      (SELECT coalesce(json_agg(${key} ORDER BY ${order}), '[]') FROM page) AS keys`);
  if (!row) throw new Error("a pass answered no row");
  return { keys: row.keys, found: row.n, isWhole: row.whole, isInOrder };
}

const NO_BOUND = Number.MAX_SAFE_INTEGER;

/** LIMIT; nothing when it is null. */
export function limited(rowsMax: number | null): SQL {
  return rowsMax === null ? sql`` : sql`LIMIT ${rowsMax}`;
}

/** Whether `q` is too short for the index of targets: under three characters, or nothing in it makes a trigram. */
export function isShort({ text }: Query): boolean {
  return [...text].length < 3 || !MAKES_TRIGRAM.test(text);
}

// Source: pg_trgm, which pads words at their ends and leaves out everything but letters and digits.
const MAKES_TRIGRAM = /[\p{L}\p{N}]{3}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]|[^\p{L}\p{N}][\p{L}\p{N}]/u;

/** The pattern of ILIKE for a substring, in which `%`, `_` and `\` mean themselves. */
export function substringPattern({ text }: Query): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}
