import { latenessScale } from "./lateness-scale.ts";

export type LatenessCount = { ms: number; count: number };

/** A line of the histogram: at `x` percent of the width, `height` percent high. */
export type HistogramLine = { x: number; height: number; ms: number };

/** Up to this lateness each millisecond has its own line, ms; beyond it lines would touch. */
const OWN_LINE_MS_MAX = 8;
const COLUMN_WIDTH = 0.32;
/** Minimum height, so that one request among hundreds of thousands is still visible. */
const HEIGHT_MIN = 3;

/**
 * The lines of a lateness histogram on the one-sided scale. A line's height is proportional to the square root of the
 * requests per millisecond; the highest is 96 %. Neighbours that would touch are merged at their mean. Early requests count
 * as 0.
 */
export function histogramLines(counts: readonly LatenessCount[]): HistogramLine[] {
  const columns = new Map<number, { sum: number; weighted: number; late: number }>();
  for (const { ms, count } of counts) {
    if (count <= 0) continue;
    const late = Math.max(0, ms);
    const at = late <= OWN_LINE_MS_MAX ? late - OWN_LINE_MS_MAX : Math.floor(SCALE.xOf(late) / COLUMN_WIDTH);
    const column = columns.get(at) ?? { sum: 0, weighted: 0, late };
    column.sum += count;
    column.weighted += count * SCALE.xOf(late);
    columns.set(at, column);
  }
  const lines = [...columns].map(([at, { sum, weighted, late }]) => ({
    x: weighted / sum,
    ms: late,
    root: Math.sqrt(sum / millisecondsIn(at)),
  }));
  const highest = Math.max(...lines.map(({ root }) => root));
  return lines
    .sort((a, b) => a.x - b.x)
    .map(({ x, ms, root }) => ({ x, ms, height: Math.max(HEIGHT_MIN, (HEIGHT_MAX * root) / highest) }));
}

const HEIGHT_MAX = 96;
const SCALE = latenessScale();

function millisecondsIn(column: number): number {
  if (column <= 0) return 1;
  const [from, to] = [column, column + 1].map((edge) => Math.ceil(SCALE.msAt(edge * COLUMN_WIDTH)));
  return Math.max(1, (to ?? 0) - (from ?? 0));
}
