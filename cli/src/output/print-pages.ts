import type { Pager } from "../../../sdk/src/index.ts";
import type { Table } from "./table.ts";

/** Prints `rows` rows of a list at most, and says on stderr when there are more, or none. */
export async function printPages<T>(
  pager: Pager<T>,
  rows: number,
  table: Table<T>,
  say: (message: string) => void,
): Promise<void> {
  let printed = 0;
  for await (const { items, total, total_capped, next_cursor } of pager.pages()) {
    const shown = items.slice(0, rows - printed);
    table.add(shown);
    printed += shown.length;
    if (printed < rows) continue;
    if (next_cursor !== null || shown.length < items.length) {
      say(`These are ${printed} of ${total_capped ? "more than " : ""}${total}: --limit or --all prints more.`);
    }
    return;
  }
  if (printed === 0) say("There are none.");
}
