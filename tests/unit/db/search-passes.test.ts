import { describe, expect, test } from "vitest";
import { passesForTarget, type SearchPass, search, searchPage } from "#db/queries/search/passes.ts";
import { isShort, substringPattern } from "#db/queries/search/query.ts";

const PAGE = { limit: 2, offset: 0 };
const pass = (seen: Partial<SearchPass<number>>): SearchPass<number> => ({
  keys: [1, 2, 3],
  found: 3,
  isWhole: false,
  isInOrder: false,
  ...seen,
});
const searched = (...passes: SearchPass<number>[]) =>
  search(
    passes.map((seen) => async () => seen),
    PAGE,
  );

describe("a search", () => {
  test("ends with the first pass that read everything", async () => {
    const whole = pass({ isWhole: true, found: 7, keys: [4] });
    expect(await searched(pass({}), whole, pass({ isWhole: true }))).toEqual({
      keys: [4],
      total: 7,
      totalCapped: false,
    });
  });

  test("takes the page from a pass that is in order, and the total from another pass", async () => {
    const ordered = pass({ isInOrder: true, keys: [9, 8, 7] });
    const counted = pass({ found: 10_001 });
    for (const passes of [
      [ordered, counted],
      [counted, ordered],
    ]) {
      expect(await searched(...passes)).toEqual({ keys: [9, 8, 7], total: 10_000, totalCapped: true });
    }
  });

  test("takes no page that is too short or out of order", async () => {
    const tooShort = pass({ isInOrder: true, found: 2, keys: [9, 8] });
    const counted = pass({ found: 20_000, keys: [5, 5, 5] });
    const whole = pass({ isWhole: true, found: 20_000, keys: [1, 2, 3] });
    expect(await searched(tooShort, counted, whole)).toEqual({ keys: [1, 2, 3], total: 10_000, totalCapped: true });
  });

  test("that is bounded ends at the last row that was scanned in order, and its total is what was found", async () => {
    const partial = pass({ isInOrder: true, found: 1, keys: [9], place: 4 });
    expect(await searched(partial, pass({ found: 20_000 }))).toEqual({
      keys: [9],
      place: 4,
      total: 10_000,
      totalCapped: true,
    });
    expect(await searched(partial, pass({ found: 7 }))).toMatchObject({ place: 4, total: 7, totalCapped: true });
  });

  test("with exactly 10,000 matches has a total that is not capped", async () => {
    expect(await searched(pass({ isWhole: true, found: 10_000 }))).toMatchObject({ total: 10_000, totalCapped: false });
  });
});

describe("a page without its total", () => {
  const alone = (...passes: SearchPass<number>[]) =>
    searchPage(
      passes.map((seen) => async () => seen),
      PAGE,
    );

  test("ends with the first pass that is in order and long enough", async () => {
    const tooShort = pass({ isInOrder: true, found: 2, keys: [9, 8] });
    const unordered = pass({ found: 20_000, keys: [5, 5, 5] });
    const ordered = pass({ isInOrder: true, keys: [9, 8, 7] });
    expect(await alone(tooShort, unordered, ordered)).toEqual({ keys: [9, 8, 7] });
  });

  test("ends with the first pass that read everything", async () => {
    const tooShort = pass({ isInOrder: true, found: 1, keys: [9] });
    expect(await alone(tooShort, pass({ isWhole: true, found: 2, keys: [9, 8] }))).toEqual({ keys: [9, 8] });
  });

  test("of a bounded search ends at the last row that was scanned in order, behind which it goes on", async () => {
    const partial = pass({ isInOrder: true, found: 1, keys: [9], place: 4 });
    expect(await alone(partial, pass({ found: 20_000, keys: [5, 5, 5] }))).toEqual({ keys: [9], place: 4 });
  });
});

describe("a search for a target", () => {
  async function asked(
    matching: number,
    { isFiltered = false, enough = 10_001, window = PAGE, isInOrder = false, ofTarget = 1 } = {},
  ) {
    const calls: string[] = [];
    const list = {
      async first(rowsMax: number) {
        calls.push(`first ${rowsMax}`);
        return pass({ isInOrder: true, found: Math.min(matching, rowsMax), place: rowsMax });
      },
      async byTarget(rowsMax: number) {
        calls.push(`byTarget ${rowsMax}`);
        return pass({ isWhole: rowsMax >= ofTarget });
      },
    };
    const bounds = { list: 50_000, target: 25_000 };
    const { place } = await search(passesForTarget(list, window, { isFiltered, enough, bounds, isInOrder }), window);
    return place === undefined ? calls : [...calls, `goes on behind ${place}`];
  }

  test("that matches few rows asks the index of targets after a short first pass", async () => {
    expect(await asked(0)).toEqual(["first 2000", "byTarget 25000"]);
    expect(await asked(5)).toEqual(["first 2000", "byTarget 10001"]);
  });

  test("in a list with other filters reads more rows from the index, since the filters may drop most of them", async () => {
    expect(await asked(5, { isFiltered: true })).toEqual(["first 2000", "byTarget 25000"]);
  });

  test("that matches many rows scans as many rows as the page is expected to need", async () => {
    expect(await asked(1_000_000)).toEqual(["first 2000", "first 12502"]);
    expect(await asked(1_000)).toEqual(["first 2000", "first 25003", "byTarget 10001"]);
  });

  test("for a page alone estimates the share of matches only from ten or more matches in the first pass", async () => {
    const page = { enough: 21, window: { limit: 20, offset: 0 } };
    expect(await asked(9, page)).toEqual(["first 2000", "byTarget 25000"]);
    expect(await asked(10, page)).toEqual(["first 2000", "first 5250", "byTarget 25000"]);
  });

  test("that matches often asks no index, which would read all its entries for it first, and counts by the list", async () => {
    expect(await asked(99)).toEqual(["first 2000", "byTarget 10001"]);
    expect(await asked(100)).toEqual(["first 2000", "first 50000"]);
  });

  test("of which the index finds too many goes on behind a bounded number of rows of the list", async () => {
    const rare = { ofTarget: 1_000_000 };
    expect(await asked(0, rare)).toEqual(["first 2000", "byTarget 25000", "first 50000", "goes on behind 50000"]);
    expect(await asked(2, { ...rare, isFiltered: true })).toEqual([
      ...["first 2000", "byTarget 25000", "first 50000", "goes on behind 50000"],
    ]);
    expect(await asked(0, { ...rare, isInOrder: true })).toEqual(["first 2000", "first 50000", "goes on behind 50000"]);
  });

  test("whose page is known reads no more rows of the list to count", async () => {
    expect(await asked(3, { ofTarget: 1_000_000, isFiltered: true })).toEqual(["first 2000", "byTarget 25000"]);
  });
});

describe("a search pattern", () => {
  test("matches the characters %, _ and \\ literally", () => {
    expect(substringPattern({ text: "a%b_c\\d", scheduleId: null })).toBe("%a\\%b\\_c\\\\d%");
  });

  test.each(["", "a", "ab", "a_", "://", "---", "a--", "🙂🙂"])("%j is too short for the index", (text) => {
    expect(isShort({ text, scheduleId: null })).toBe(true);
  });

  test.each(["abc", "ab-", "-a-", "//a", "v1/", "100%", "äöü"])("%j is long enough for the index", (text) => {
    expect(isShort({ text, scheduleId: null })).toBe(false);
  });
});
