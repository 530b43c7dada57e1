import { findProblems, type Item } from "./find-problems.ts";
import { readCsvRows } from "./read-csv-rows.ts";
import { readJsonRows } from "./read-json-rows.ts";

export type InputFormat = "csv" | "jsonl";

/** What is wrong with a row. `line` and `column` count from 1. */
export type RowProblem = { line: number; column?: number | undefined; message: string };

/** A row as its format gives it. `columnOf` says where in the line a field stands, if the format knows. */
export type ReadRow = {
  line: number;
  item: Item;
  problems: RowProblem[];
  placeOf?: (field: string) => { line: number; column: number } | undefined;
};

/** A row of the input: `number` counts from 1, without headings. It can be sent when it has no problems. */
export type Row = { number: number; line: number; item: Item; problems: RowProblem[] };

export type RowOptions = {
  format: InputFormat;
  /** Names of the input and what they stand for: a field, `headers.<name>`, or "" for what is not sent. */
  map: ReadonlyMap<string, string>;
  /** Whether exported schedules that had a payload are created without one. */
  withoutPayloads: boolean;
};

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
