import { type Page, pageOf, type Total } from "../page.ts";
import {
  type Found,
  type Passes,
  rowsNeeded,
  type SearchPass,
  search,
  searchPage,
  searchTotal,
  type Window,
} from "./passes.ts";
import { isShort, type Query } from "./query.ts";

/** A list as one search sees it: the statements of its passes, and which of them to run in which order. */
export type SearchedList<Key> = {
  wanted: Window & { q?: Query; after?: object };
  /** Whether the search has filters other than `q`. */
  isFiltered: boolean;
  /** Scans the first `rowsMax` rows of the list, until `foundMax` of them match. */
  first(rowsMax: number, foundMax: number): Promise<SearchPass<Key>>;
  /** Scans the rows of `rowsMax` schedules (null: all) that the index of targets finds. */
  byTarget(rowsMax: number | null): Promise<SearchPass<Key>>;
  /** Scans the newest rows, whatever the order and the filters: for a `q` that is too short for the index of targets. */
  newest(): Promise<SearchPass<Key>>;
  /** The passes for page and total of a list with filters, or with a `q` that is neither short nor a whole id. */
  passes(): Passes<Key>;
  /** The passes for a page alone, unless `q` is short or a whole id. */
  pagePasses(): Passes<Key>;
  /** Counts all rows, without any filter. */
  countAll(): Promise<number>;
  /** The same search from the first row of the list, with a page of no rows. */
  withoutPage(): SearchedList<Key>;
};

/** The keys of the page that is wanted, and the total. Behind a cursor, the total is found as for the first page. */
export async function findKeys<Key>(list: SearchedList<Key>): Promise<Found<Key>> {
  const { wanted, isFiltered } = list;
  const { q, after } = wanted;
  if (after) return { ...(await findPageKeys(list)), ...(await findTotal(list.withoutPage())) };
  if (q && isShort(q)) {
    const pass = await list.newest();
    return { keys: pass.keys, ...totalOf(pass) };
  }
  if (q || isFiltered) return search(passesOf(list), wanted);
  const [{ keys }, total] = await Promise.all([list.first(rowsNeeded(wanted), rowsNeeded(wanted)), list.countAll()]);
  return { keys, total, totalCapped: false };
}

/** The total that `findKeys` finds. */
export async function findTotal<Key>(list: SearchedList<Key>): Promise<Total> {
  const { q } = list.wanted;
  if (!q && !list.isFiltered) return { total: await list.countAll(), totalCapped: false };
  return q && isShort(q) ? totalOf(await list.newest()) : searchTotal(passesOf(list));
}

/** The keys of the page that `findKeys` finds, without the total, which may take most of the time. */
export async function findPageKeys<Key>(list: SearchedList<Key>): Promise<Pick<Found<Key>, "keys" | "place">> {
  const { q } = list.wanted;
  if (q && isShort(q)) return { keys: (await list.newest()).keys };
  return searchPage(q?.scheduleId ? byId(list) : list.pagePasses(), list.wanted);
}

/** The page whose rows, and one row more, have these `keys`; of a bounded search, the page up to its `place`. */
export async function readPage<Key, Row, Cursor>(
  { keys, place }: Pick<Found<Key>, "keys" | "place">,
  limit: number,
  readRows: (keys: Key[]) => Promise<Row[]>,
  cursorOf: (key: Key) => Cursor,
): Promise<Pick<Page<Row, Cursor>, "rows" | "hasMore" | "last" | "isBounded">> {
  const page = pageOf(keys, limit, cursorOf);
  const rows = await readRows(page.rows);
  return place === undefined ? { ...page, rows } : { rows, hasMore: true, last: cursorOf(place), isBounded: true };
}

const passesOf = <Key>(list: SearchedList<Key>) => (list.wanted.q?.scheduleId ? byId(list) : list.passes());

// A whole id matches few rows.
const byId = <Key>(list: SearchedList<Key>): Passes<Key> => [() => list.byTarget(null)];

const totalOf = ({ found, isWhole }: SearchPass<unknown>): Total => ({ total: found, totalCapped: !isWhole });
