import type { Page } from "@playwright/test";
import { expect, it } from "vitest";
import { mainTree } from "#tests/pages/tree.ts";

const treeOf = (...rows: string[]) => {
  const snapshot = ["- main:", "  - table:", "    - rowgroup:", ...rows].join("\n");
  return mainTree({ getByRole: () => ({ ariaSnapshot: async () => snapshot }) } as unknown as Page);
};
const row = (...cells: string[]) =>
  [`      - row "${cells.length}":`, ...cells.map((cell) => `        - ${cell}`)].join("\n");

it("rows of a table that differ in words alone are kept once, with their number", async () => {
  const tree = await treeOf(row('cell "a"', "text: b"), row('cell "c"', "text: d"), row("'cell \"e: f\"'", "text: g"));
  expect(tree).toBe(`- main:
  - table:
    - rowgroup:
      - row "#":
        - cell "a"
        - text: b
      … 2 more of this shape
`);
});

it.each([
  ["has another cell", row('cell "c"', 'cell "d"', "text: e")],
  ["has lost a cell", row('cell "c"')],
  ["has lost a name", row("cell", "text: d")],
  ["has lost its words", row('cell "c"', "text")],
  ["has another role", row('button "c"', "text: d")],
  ["has another state", row('cell "c" [selected]', "text: d")],
  ["leads elsewhere", row('cell "c"', "text: d", "- /url: /keys")],
  ["has a header of its own", row('rowheader "c"', "text: d")],
])("a row that %s is kept", async (_, other) => {
  const tree = await treeOf(
    row('cell "a"', "text: b"),
    row('cell "x"', "text: y"),
    other,
    row('rowheader "z"', "text: d"),
  );
  expect(tree).toContain(other.trimStart().replace(/row "\d"/, 'row "#"'));
  expect(tree).toContain("… 1 more of this shape");
});
