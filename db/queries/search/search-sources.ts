import { COUNTED_MAX, type Found, rowsEnough, rowsNeeded, type SearchPass, type Window } from "./passes.ts";

/** One way to find the rows of a list: by an index of the list's order (`isInOrder`), or of one filter. */
export type Source<Key> = {
  isInOrder: boolean;
  /** Scans up to `rowsMax` rows, until `foundMax` of them match. */
  scan(rowsMax: number, foundMax: number): Promise<SearchPass<Key>>;
  /** The only number of rows to scan, whatever the search needs. */
  rowsMax?: number;
  /** What a row costs, in rows of a source without this. */
  cost?: number;
};

/** Rows that each source scans first: enough where one filter is thin, or where the first rows match often. */
const FIRST_ROWS = 2_000;
/** Rows that all sources together scan after that. They take 0.1 to 0.2 s when each is looked up in another table. */
const ROWS_MAX = 40_000;

/**
 * Finds a page and its total by several sources, each by two bounded scans. It ends when one has scanned all of its rows, or
 * the page is known and more than 10,000 match. Where no bound suffices, the total is what was found (`totalCapped`); a page
 * that is not full has a `place`, behind which the search goes on. `wantsTotal` false: the page alone is needed.
 */
export async function searchSources<Key>(
  sources: readonly Source<Key>[],
  window: Window,
  { wantsTotal = true } = {},
): Promise<Found<Key>> {
  const enough = wantsTotal ? rowsEnough(window) : rowsNeeded(window);
  let keys: Key[] | undefined;
  let partial: SearchPass<Key> | undefined;
  let found = 0;
  // Those of one filter may be done before the others have to scan many rows.
  const narrowFirst = sources.toSorted((a, b) => Number(a.isInOrder) - Number(b.isInOrder));
  const rounds = [
    { rowsMax: FIRST_ROWS, round: sources },
    { rowsMax: Math.floor(ROWS_MAX / sources.length), round: narrowFirst },
  ];
  for (const { rowsMax, round } of rounds) {
    for (const source of round) {
      const pass = await source.scan(source.rowsMax ?? Math.ceil(rowsMax / (source.cost ?? 1)), enough);
      found = Math.max(found, pass.found);
      if (pass.isWhole || source.rowsMax !== undefined) {
        const totalCapped = !pass.isWhole || found > COUNTED_MAX;
        return { keys: keys ?? pass.keys, total: Math.min(found, COUNTED_MAX), totalCapped };
      }
      if (source.isInOrder) {
        if (pass.found >= rowsNeeded(window)) keys ??= pass.keys;
        partial = pass;
      }
      if (keys && (found > COUNTED_MAX || !wantsTotal)) return capped({ keys });
    }
  }
  return capped(keys ? { keys } : { keys: partial?.keys ?? [], place: partial?.place });

  function capped(page: Pick<Found<Key>, "keys" | "place">): Found<Key> {
    return { ...page, total: Math.min(found, COUNTED_MAX), totalCapped: true };
  }
}
