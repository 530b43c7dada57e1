import { findProblems } from "./find-problems.ts";
import { readCsvRows } from "./read-csv-rows.ts";
import { readJsonRows } from "./read-json-rows.ts";
import type { Row, RowOptions } from "./row.ts";

/** The rows of an input, one by one. Throws `UnreadableInput` where it cannot be read any further. */
export function* readRows(text: string, options: RowOptions): Generator<Row> {
  const rows = options.format === "csv" ? readCsvRows(text, options.map) : readJsonRows(text, options);
  let number = 0;
  for (const { line, item, problems, placeOf } of rows) {
    // What cannot be read is one problem, not another of each field that it may have had.
    const found = problems.length > 0 ? [] : findProblems(item);
    const placed = found.map(({ field, message }) => ({ line, ...placeOf?.(field), message: `${field} ${message}` }));
    yield { number: ++number, line, item, problems: [...problems, ...placed] };
  }
}
