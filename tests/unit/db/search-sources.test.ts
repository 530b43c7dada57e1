import { expect, test } from "vitest";
import { type Source, searchSources } from "#db/queries/search/search-sources.ts";

const PAGE = { limit: 2, offset: 0 };

/** A source of `rows`, of which those that match are given; it tells in `calls` how many it scans. */
function source(
  name: string,
  rows: number,
  matching: number[],
  isInOrder: boolean,
  calls: string[] = [],
): Source<number> {
  return {
    isInOrder,
    async scan(rowsMax, foundMax) {
      calls.push(`${name} ${rowsMax}`);
      const scanned = matching.filter((row) => row < rowsMax).slice(0, foundMax);
      return {
        keys: scanned.slice(0, 3),
        found: scanned.length,
        isWhole: rows <= rowsMax && scanned.length < foundMax,
        isInOrder,
        ...(isInOrder && rows > rowsMax && { place: rowsMax - 1 }),
      };
    },
  };
}

test("a thin filter is found whole by its own index, before the list is scanned further", async () => {
  const calls: string[] = [];
  const list = source("list", 1_000_000, [], true, calls);
  const thin = source("thin", 5_000, [1, 2, 3], false, calls);
  expect(await searchSources([list, thin], PAGE)).toEqual({ keys: [1, 2, 3], total: 3, totalCapped: false });
  expect(calls).toEqual(["list 2000", "thin 2000", "thin 20000"]);
});

test("a search that no index ends says so, keeps what it found and goes on behind the last row in order", async () => {
  const list = source("list", 1_000_000, [30_000], true);
  expect(await searchSources([list], PAGE)).toEqual({ keys: [30_000], place: 39_999, total: 1, totalCapped: true });
});

test("a page that is full has no place, also when its total is only a lower bound", async () => {
  const list = source("list", 1_000_000, [1, 2, 3], true);
  expect(await searchSources([list], PAGE)).toEqual({ keys: [1, 2, 3], total: 3, totalCapped: true });
});

test("a page without its total ends with the first scan that fills it", async () => {
  const calls: string[] = [];
  const list = source("list", 1_000_000, [1, 2, 3], true, calls);
  await searchSources([list, source("other", 1_000_000, [], false, calls)], PAGE, { wantsTotal: false });
  expect(calls).toEqual(["list 2000"]);
});
