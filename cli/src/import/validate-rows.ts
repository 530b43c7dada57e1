import { UsageError } from "../errors/usage-error.ts";
import { describeProblems } from "./describe-problems.ts";
import type { Row, RowProblem } from "./read-rows.ts";
import { UnreadableInput } from "./unreadable-input.ts";

/** How many rows there are, and the largest of their payloads, in bytes of UTF-8. */
export type ValidRows = { count: number; largest: { line: number; bytes: number } };

/**
 * Reads all rows. Throws a UsageError that names what is wrong by line and column: the first 20
 * problems, and how many there are.
 */
export function validateRows(rows: Iterable<Row>): ValidRows {
  const problems: RowProblem[] = [];
  const lineOfKey = new Map<unknown, number>();
  let largest = { line: 1, bytes: 0 };
  let count = 0;
  try {
    for (const row of rows) {
      count++;
      problems.push(...row.problems, ...findKeyProblem(row, lineOfKey));
      const bytes = Buffer.byteLength(String(row.item.payload ?? ""));
      if (bytes > largest.bytes) largest = { line: row.line, bytes };
    }
  } catch (error) {
    if (!(error instanceof UnreadableInput)) throw error;
    problems.push(error);
  }
  if (problems.length > 0) throw new UsageError(describeProblems(problems));
  if (count === 0) throw new UsageError("FILE has no rows");
  return { count, largest };
}

/** In one call the API would refuse the second row with a key, and in another call take it for the first one. */
function findKeyProblem({ line, item: { idempotencyKey: key } }: Row, lineOfKey: Map<unknown, number>): RowProblem[] {
  if (key === undefined) return [];
  const first = lineOfKey.get(key);
  if (first !== undefined) return [{ line, message: `idempotencyKey is that of line ${first}` }];
  lineOfKey.set(key, line);
  return [];
}
