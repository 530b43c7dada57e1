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
  /** Scans the rows of `rowsMax` schedules that the index of targets finds. */
  byTarget(rowsMax: number): Promise<SearchPass<Key>>;
  /** Scans the newest rows, whatever the order and the filters: for a `q` that is too short for the index of targets. */
  newest(): Promise<SearchPass<Key>>;
  /** The passes for page and total of a list with filters, or with a `q` that is not short. */
  passes(): Passes<Key>;
  /** The passes for a page alone, unless `q` is short; `isInOrder`: without the index of targets, which finds too many. */
  pagePasses(isInOrder: boolean): Passes<Key>;
  /** Counts all rows, without any filter. */
  countAll(): Promise<number>;
  /** The same search from the first row of the list, with a page of no rows. */
  withoutPage(): SearchedList<Key>;
};

/** The keys of the page that is wanted, and the total. Behind a cursor, the total is found as for the first page. */
export async function findKeys<Key>(list: SearchedList<Key>): Promise<Found<Key>> {
  const { wanted, isFiltered } = list;
  const { q, after } = wanted;
  if (after) {
    const total = await findTotal(list.withoutPage());
    return { ...(await findPageKeys(list, { isInOrder: total.totalCapped })), ...total };
  }
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
export async function findPageKeys<Key>(
  list: SearchedList<Key>,
  { isInOrder = false } = {},
): Promise<Pick<Found<Key>, "keys" | "place">> {
  const { q } = list.wanted;
  if (q && isShort(q)) return { keys: (await list.newest()).keys };
  return searchPage(withId(list, list.pagePasses(isInOrder)), list.wanted);
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

const passesOf = <Key>(list: SearchedList<Key>) => withId(list, list.passes());

/** Most often a whole id is in few targets besides, and one pass finds all. */
const withId = <Key>(list: SearchedList<Key>, passes: Passes<Key>): Passes<Key> =>
  list.wanted.q?.scheduleId ? [() => list.byTarget(WITH_ID_ROWS), ...passes] : passes;

const WITH_ID_ROWS = 1_000;

const totalOf = ({ found, isWhole }: SearchPass<unknown>): Total => ({ total: found, totalCapped: !isWhole });
