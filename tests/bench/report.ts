import { type Figures, median } from "./measure.ts";

export type Run = { scenario: string; engine: string; round: number; figures: Figures };

/** What went wrong with another engine. `isLost`: the round has no figures; otherwise it only failed to stop. */
export type Failure = { scenario: string; engine: string; round: number; isLost: boolean; error: unknown };

/** A line for each failure: what it cost, and the first line of the error. */
export const failureLines = (failures: readonly Failure[]): string =>
  failures
    .map(({ scenario, engine, round, isLost, error }) => {
      const [reason] = String(error instanceof Error ? error.message : error).split("\n");
      const cost = isLost ? "has no figures" : "failed after it was measured, which counts";
      return `round ${round}, ${scenario}, ${engine}: ${cost}: ${reason}`;
    })
    .join("\n");

export type Row = {
  scenario: string;
  engine: string;
  rounds: number;
  median: Record<keyof Figures, number | null>;
  min: Record<keyof Figures, number | null>;
  max: Record<keyof Figures, number | null>;
};

/** Medians and spread of the rounds: one row for each scenario and engine, in the order of the runs. */
export function summarise(runs: readonly Run[]): Row[] {
  const groups = Map.groupBy(runs, ({ scenario, engine }) => `${scenario}\n${engine}`);
  return [...groups.values()].map((group) => {
    const { scenario, engine } = group[0] as Run;
    const each = (of: (values: (number | null)[]) => number | null) =>
      Object.fromEntries(FIGURES.map((name) => [name, of(group.map((run) => run.figures[name]))])) as Row["median"];
    const extreme = (of: (...values: number[]) => number) => (values: (number | null)[]) => {
      const known = values.filter((value) => value !== null);
      return known.length === 0 ? null : of(...known);
    };
    return {
      scenario,
      engine,
      rounds: group.length,
      median: each(median),
      min: each(extreme(Math.min)),
      max: each(extreme(Math.max)),
    };
  });
}

const FIGURES = [
  ...["p50", "p95", "p99", "max", "early", "duplicates", "lost", "unrecorded"],
  ...["lastArrival", "committed", "perSecond", "cpuUsPerDelivery", "peakRssMb"],
  ...["idleShare", "rowsRead", "released", "expiredPerSecond"],
  ...["othersP50", "othersP99", "othersMax", "othersPerSecond"],
] as (keyof Figures)[];

/** The table as it is printed: medians, some with the spread of the rounds. Columns are at least `widthsMin` wide. */
export function table(rows: readonly Row[], widthsMin: readonly number[] = []): string {
  const hasOthers = rows.some((row) => row.median.othersP50 !== null);
  const hasExpired = rows.some((row) => row.median.expiredPerSecond !== null);
  const columns = [...COLUMNS, ...(hasOthers ? OTHERS_COLUMNS : []), ...(hasExpired ? [EXPIRED_COLUMN] : [])];
  const lines = [["scenario", "engine", ...columns.map((column) => column.head)]];
  for (const row of rows) lines.push([row.scenario, row.engine, ...columns.map((column) => column.cell(row))]);
  const widths =
    lines[0]?.map((_, at) => Math.max(widthsMin[at] ?? 0, ...lines.map((line) => (line[at] as string).length))) ?? [];
  return lines
    .map((line) =>
      line.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  "),
    )
    .join("\n");
}

const rounded = (value: number | null, digits: number) => (value === null ? "–" : value.toFixed(digits));

const spreadOf = (row: Row, figure: keyof Figures, digits: number) => {
  const middle = rounded(row.median[figure], digits);
  if (row.rounds === 1 || row.median[figure] === null) return middle;
  return `${middle} (${rounded(row.min[figure], digits)}–${rounded(row.max[figure], digits)})`;
};

type Column = { head: string; cell: (row: Row) => string };

const COLUMNS: Column[] = [
  { head: "p50 ms", cell: (row) => spreadOf(row, "p50", 2) },
  { head: "p95", cell: (row) => rounded(row.median.p95, 2) },
  { head: "p99", cell: (row) => spreadOf(row, "p99", 2) },
  { head: "max", cell: (row) => rounded(row.median.max, 1) },
  { head: "last arrival ms", cell: (row) => rounded(row.median.lastArrival, 0) },
  { head: "committed ms", cell: (row) => rounded(row.median.committed, 0) },
  { head: "per s", cell: (row) => spreadOf(row, "perSecond", 0) },
  { head: "CPU µs each", cell: (row) => rounded(row.median.cpuUsPerDelivery, 0) },
  { head: "RSS MB", cell: (row) => rounded(row.max.peakRssMb, 0) },
  { head: "idle %", cell: (row) => rounded(row.median.idleShare === null ? null : 100 * row.median.idleShare, 0) },
  { head: "read each", cell: (row) => rounded(row.median.rowsRead, 2) },
  { head: "released", cell: (row) => rounded(row.max.released, 0) },
  // The worst round is shown for these.
  { head: "early", cell: (row) => rounded(row.max.early, 0) },
  { head: "dup", cell: (row) => rounded(row.max.duplicates, 0) },
  { head: "lost", cell: (row) => rounded(row.max.lost, 0) },
  { head: "unrecorded", cell: (row) => rounded(row.max.unrecorded, 0) },
];

/** Shown only when a scenario has expired rows. */
const EXPIRED_COLUMN: Column = { head: "expired/s", cell: (row) => spreadOf(row, "expiredPerSecond", 0) };

/** Shown only when a scenario has jobs outside the control group. */
const OTHERS_COLUMNS: Column[] = [
  { head: "others p50 ms", cell: (row) => rounded(row.median.othersP50, 1) },
  { head: "p99", cell: (row) => rounded(row.median.othersP99, 1) },
  { head: "max", cell: (row) => rounded(row.median.othersMax, 0) },
  { head: "per s", cell: (row) => rounded(row.median.othersPerSecond, 0) },
];
