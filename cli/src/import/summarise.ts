import type { StopwatchError } from "../../../sdk/src/index.ts";
import { exitCodeOf } from "../errors/describe-error.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { Failure } from "../errors/failure.ts";
import type { Fact } from "../output/output.ts";
import { printable } from "../output/printable.ts";
import type { ResultFile, RowResult } from "./result-file.ts";

/** How many rows ended how. `replayed` ones are among the accepted: their keys were known. */
export type Summary = { rows: number; accepted: number; replayed: number; rejected: number; left: number };

export function summarise({ results }: ResultFile, rows: number): Summary {
  const all = [...results.values()];
  const accepted = all.filter(({ outcome }) => outcome === "accepted");
  return {
    rows,
    accepted: accepted.length,
    replayed: accepted.filter((result) => "replayed" in result).length,
    rejected: all.length - accepted.length,
    left: rows - all.length,
  };
}

export function summaryFacts({ rows, accepted, replayed, rejected, left }: Summary, path: string): Fact[] {
  return [
    ["rows", `${rows}`],
    ["accepted", `${accepted}${replayed > 0 ? `, ${replayed} of them known already` : ""}`],
    ["rejected", `${rejected}`],
    ["not sent", left > 0 ? `${left}` : null],
    ["results", path],
  ];
}

/** A line for each of the first ten rows of which nothing was created. */
export function describeRejected({ results }: ResultFile): string[] {
  const refused = [...results.values()].filter(({ outcome }) => outcome !== "accepted").sort((a, b) => a.row - b.row);
  const lines = refused.slice(0, SHOWN_MAX).map((result) => `Line ${result.line}: ${reasonOf(result)}`);
  return refused.length > SHOWN_MAX ? [...lines, `And ${refused.length - SHOWN_MAX} more.`] : lines;
}

const SHOWN_MAX = 10;

function reasonOf(result: RowResult): string {
  return result.outcome === "rejected"
    ? `${printable(result.message)} (${printable(result.code)})`
    : `its idempotencyKey stands for another request, ${result.id}, and nothing was created (mismatch)`;
}

/** Why an import ended before its last row, and how it goes on. */
export function cutShort(error: StopwatchError, left: number): Failure {
  const { code, message } = error;
  const exitCode = exitCodeOf(error);
  const first = exitCode === EXIT.unauthorised ? "Take another key of the same account. " : "";
  return new Failure(`${printable(message)} (${printable(code)}): ${left} rows were not sent.`, {
    exitCode,
    fix: `${code === "QUOTA_EXCEEDED" ? "`stopwatch usage` shows the quota. " : first}${GO_ON}`,
  });
}

/** What to do about rows that were not sent. */
export const GO_ON = "Run the same command with the same file again: it goes on, and creates nothing twice.";
