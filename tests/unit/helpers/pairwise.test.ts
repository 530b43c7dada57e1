import { expect, it } from "vitest";
import { pairwise } from "#tests/helpers/pairwise.ts";

const LISTS = { text: [..."abcdefghi"], filter: [..."1234567"], sort: [..."xyz"], offset: [0, 40, 9_990] };

it("any two values of two lists meet in a combination, and there are hardly more than the two longest need", () => {
  const rows = pairwise(LISTS);
  const keys = Object.keys(LISTS) as (keyof typeof LISTS)[];
  for (const [n, a] of keys.entries())
    for (const b of keys.slice(n + 1))
      for (const of of LISTS[a])
        for (const and of LISTS[b])
          expect(
            rows.some((row) => row[a] === of && row[b] === and),
            `${of} ${and}`,
          ).toBe(true);
  expect(rows.length).toBeLessThan(9 * 7 + 10);
});

it("the combinations are the same each time", () => {
  expect(pairwise(LISTS)).toEqual(pairwise(LISTS));
});

it("a list of one value and a single list are all in them", () => {
  expect(pairwise({ a: [1], b: [2, 3] })).toEqual([
    { a: 1, b: 2 },
    { a: 1, b: 3 },
  ]);
});
