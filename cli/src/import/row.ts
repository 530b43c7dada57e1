import type { Item } from "./find-problems.ts";

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
