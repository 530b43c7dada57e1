import { type SQL, sql } from "drizzle-orm";
import type { Db, DbOrTx } from "../orm.ts";

/** What a filtered total is counted up to. */
const COUNTED_MAX = 10_000;

/** How many of the newest rows a short `q` looks at. */
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

/** What one look at a list found. */
export type Look<Key> = {
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
 * Finds a page and its total by several looks, each of which reads a bounded number of rows, until both are known: the
 * total when a look was whole or counted past 10,000, the page when it was whole, or in order and long enough. The last
 * look must be whole. Which one is fast depends on the rows of one account, which the planner knows nothing about.
 */
export async function search<Key>(looks: (() => Promise<Look<Key>> | null)[], window: Window): Promise<Found<Key>> {
  let keys: Key[] | undefined;
  let isCapped = false;
  for (const look of looks) {
    const seen = await look();
    if (!seen) continue;
    isCapped ||= seen.found > COUNTED_MAX;
    if (seen.isWhole && !isCapped) return { keys: seen.keys, total: seen.found, totalCapped: false };
    if (seen.isWhole || isLongEnough(seen, window)) keys ??= seen.keys;
    if (isCapped && keys) return { keys, total: COUNTED_MAX, totalCapped: true };
  }
  throw new Error("no look at the list was whole");
}

/** The total that `search` finds, without a page. */
export async function searchTotal(
  looks: (() => Promise<Look<unknown>> | null)[],
): Promise<{ total: number; totalCapped: boolean }> {
  for (const look of looks) {
    const seen = await look();
    if (seen && seen.found > COUNTED_MAX) return { total: COUNTED_MAX, totalCapped: true };
    if (seen?.isWhole) return { total: seen.found, totalCapped: false };
  }
  throw new Error("no look at the list was whole");
}

/**
 * The keys of the page, and of one row more, by looks that begin behind a row of the list. The last one must be whole. A
 * total is not among what they find: it is of the whole list.
 */
export async function pageBehind<Key>(looks: (() => Promise<Look<Key>>)[], window: Window): Promise<Key[]> {
  for (const look of looks) {
    const seen = await look();
    if (seen.isWhole || isLongEnough(seen, window)) return seen.keys;
  }
  throw new Error("no look behind a row was whole");
}

/** As `looksForTarget`, for a page behind a row: nothing needs to be counted. */
export function looksForTargetBehind<Key>(
  list: {
    first(rowsMax: number, foundMax: number): Promise<Look<Key>>;
    byTarget(rowsMax: number | null): Promise<Look<Key>>;
  },
  window: Window,
): (() => Promise<Look<Key>>)[] {
  return [
    () => list.first(FIRST_LOOK_ROWS, rowsNeeded(window)),
    () => list.byTarget(TARGET_LOOK_ROWS),
    () => list.first(LONG_LOOK_ROWS, rowsNeeded(window)),
    () => list.byTarget(null),
  ];
}

/**
 * The looks for a `q`: at the first rows of the list; where it matches often, at many more; at what the index of targets
 * tells, which is slower than that where it matches often; and for a `q` that does so, but not among the first rows, at
 * many and in the end at all.
 */
export function looksForTarget<Key>(
  list: {
    first(rowsMax: number, foundMax: number): Promise<Look<Key>>;
    byTarget(rowsMax: number | null): Promise<Look<Key>>;
  },
  window: Window,
): (() => Promise<Look<Key>> | null)[] {
  const enough = rowsEnough(window);
  let first: Look<Key> | undefined;
  const denseRows = () => Math.ceil((1.25 * enough * FIRST_LOOK_ROWS) / Math.max(first?.found ?? 0, 1));
  return [
    async () => {
      first = await list.first(FIRST_LOOK_ROWS, enough);
      return first;
    },
    () => (denseRows() <= LONG_LOOK_ROWS ? list.first(denseRows(), enough) : null),
    () => list.byTarget(first && isLongEnough(first, window) ? enough : TARGET_LOOK_ROWS),
    () => list.first(LONG_LOOK_ROWS, enough),
    () => list.byTarget(null),
  ];
}

const FIRST_LOOK_ROWS = 2_000;
const LONG_LOOK_ROWS = 200_000;
/** More than are counted, so that the page of somewhat more than that is found as well. */
const TARGET_LOOK_ROWS = 25_000;

/** Rows that decide a page, from the first of the list on, and whether another follows. */
export function rowsNeeded({ limit, offset }: Window): number {
  return offset + limit + 1;
}

/** Rows after which both page and total are known. */
export function rowsEnough(window: Window): number {
  return Math.max(COUNTED_MAX + 1, rowsNeeded(window));
}

function isLongEnough<Key>({ isInOrder, found }: Look<Key>, window: Window): boolean {
  return isInOrder && found >= rowsNeeded(window);
}

export type LookStatement = {
  /** Selects what is looked at, up to a limit (null: all). */
  looked: (limit: number | null) => SQL;
  /** Null: no bound. */
  rowsMax: number | null;
  /** Selects what matches of `rows`; everything unless it is given. */
  found?: (rows: SQL) => SQL;
  /** Unless it is given, no bound. */
  foundMax?: number;
  isInOrder: boolean;
};

/**
 * Runs one look: of at most `rowsMax` rows those that match, until there are `foundMax` of them, sorted by `order`, cut to
 * the page, each as the JSON that `key` makes. Both sets are read only as far as they are asked for. `behind` leaves what
 * comes behind some row, for what is `looked` at from the beginning of the list.
 */
export async function lookAt<Key>(
  db: DbOrTx,
  window: Window,
  { order, key, behind = sql`true` }: { order: SQL; key: SQL; behind?: SQL | undefined },
  { looked, rowsMax, found = (rows) => sql`SELECT * FROM ${rows}`, foundMax = NO_BOUND, isInOrder }: LookStatement,
): Promise<Look<Key>> {
  const [row] = await db.execute<{ n: number; whole: boolean; keys: Key[] }>(sql`
    WITH looked AS MATERIALIZED (${looked(rowsMax === null ? null : rowsMax + 1)}),
    found AS MATERIALIZED (
      SELECT * FROM (${found(sql`(SELECT * FROM looked ${limited(rowsMax)}) l`)}) f WHERE ${behind} LIMIT ${foundMax}),
    page AS (SELECT * FROM found ORDER BY ${order} OFFSET ${window.offset} LIMIT ${window.limit + 1})
    SELECT (SELECT count(*)::integer FROM found) AS n,
      CASE WHEN (SELECT count(*) FROM found) < ${foundMax}
        THEN (SELECT count(*) FROM looked) <= ${rowsMax ?? NO_BOUND} ELSE false END AS whole,
      (SELECT coalesce(json_agg(${key} ORDER BY ${order}), '[]') FROM page) AS keys`);
  if (!row) throw new Error("a look answered no row");
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
