import { printable } from "../output/printable.ts";
import type { RowProblem } from "./row.ts";

/** The message of the error for problems of an input: the first 20 by line and column, and how many there are. */
export function describeProblems(problems: readonly RowProblem[]): string {
  const shown = problems.slice(0, SHOWN_MAX).map(({ line, column, message }) => {
    return `line ${line}${column === undefined ? "" : `, column ${column}`}: ${printable(message)}`;
  });
  const rest = problems.length - shown.length;
  if (rest > 0) shown.push(`and ${rest} more`);
  const count = problems.length === 1 ? "one problem" : `${problems.length} problems`;
  return `FILE has ${count}, and nothing was sent:\n  ${shown.join("\n  ")}`;
}

const SHOWN_MAX = 20;
