import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { cutTo, widthOf } from "../../../cli/src/output/cell-width.ts";
import { createOutput } from "../../../cli/src/output/output.ts";

type Item = { id: string; url: string };

const COLUMNS = [
  { title: "ID", value: ({ id }: Item) => id },
  { title: "URL", value: ({ url }: Item) => url, shrinks: true as const },
];

/** What a table of these items shows on a terminal of this width, none where it is undefined. */
function shown(items: Item[], columns: number | undefined, isJson = false): string {
  const stream = new PassThrough() as unknown as NodeJS.WriteStream;
  Object.assign(stream, columns === undefined ? {} : { isTTY: true, columns });
  createOutput(stream, isJson).table(COLUMNS).add(items);
  return String((stream as unknown as PassThrough).read() ?? "");
}

it("no line is wider than the terminal, whatever the values are", () => {
  const item = fc.record({ id: fc.string({ maxLength: 20 }), url: fc.string({ unit: "grapheme", maxLength: 200 }) });
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 5 }), fc.integer({ min: 60, max: 200 }), (items, columns) => {
      const lines = stripVTControlCharacters(shown(items, columns)).split("\n");
      expect(lines).toHaveLength(items.length + 2);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }),
  );
});

it("nothing is cut where there is no terminal", () => {
  const url = `https://example.com/${"long/".repeat(100)}`;
  expect(shown([{ id: "1", url }], undefined)).toBe(`ID  URL\n1   ${url}\n`);
});

it("with --json every line is an object, and no terminal obeys it", () => {
  const item = { id: "\u009b31m\u007f\u202e", url: "a\nb" };
  const text = shown([item, item], undefined, true);
  expect(text).toMatch(/^[\x20-\x7e\n]+$/);
  expect(
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([item, item]);
});

it("wide characters and emoji take two cells, and a cut keeps them whole", () => {
  expect([widthOf("日本"), widthOf("👩‍👩‍👧"), widthOf("é")]).toEqual([4, 2, 1]);
  expect(cutTo("日本語", 4)).toBe("日…");
  expect(cutTo("abc", 3)).toBe("abc");
});
