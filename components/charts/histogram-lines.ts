import { type LatenessScale, latenessScale } from "./lateness-scale.ts";

export type LatenessCount = { ms: number; count: number };

/** A line of the histogram: at `x` percent of the width, `height` percent high. */
export type HistogramLine = { x: number; height: number; ms: number };

/** Up to this lateness each millisecond has its own line, ms; beyond it lines would touch. */
const OWN_LINE_MS_MAX = 8;
const COLUMN_WIDTH = 0.32;
/** Minimum height, so that one request among hundreds of thousands is still visible. */
const HEIGHT_MIN = 3;

/**
 * The lines of counted latenesses on a scale (default: one-sided). The height of a line is the square root of its
 * requests per millisecond, and the highest has 96 %. Neighbours that would touch share a line at their mean. On the
 * one-sided scale early requests count as 0.
 */
export function histogramLines(
  counts: readonly LatenessCount[],
  scale: LatenessScale = latenessScale(),
): HistogramLine[] {
  const columns = new Map<number, { sum: number; weighted: number; ms: number; width: number }>();
  for (const { ms: counted, count } of counts) {
    if (count <= 0) continue;
    const ms = scale.isTwoSided ? counted : Math.max(0, counted);
    const x = scale.xOf(ms);
    const isOwn = Math.abs(ms) <= OWN_LINE_MS_MAX;
    const at = isOwn ? ms - OWN_LINE_MS_MAX : Math.floor(x / COLUMN_WIDTH) + 1;
    const column = columns.get(at) ?? { sum: 0, weighted: 0, ms, width: isOwn ? 1 : millisecondsAt(scale, at - 1) };
    column.sum += count;
    column.weighted += count * x;
    columns.set(at, column);
  }
  const lines = [...columns.values()].map(({ sum, weighted, ms, width }) => ({
    x: weighted / sum,
    ms,
    root: Math.sqrt(sum / width),
  }));
  const highest = Math.max(...lines.map(({ root }) => root));
  return lines
    .sort((a, b) => a.x - b.x)
    .map(({ x, ms, root }) => ({ x, ms, height: Math.max(HEIGHT_MIN, (HEIGHT_MAX * root) / highest) }));
}

const HEIGHT_MAX = 96;

/** The number of whole milliseconds in a column of the scale. */
function millisecondsAt(scale: LatenessScale, column: number): number {
  const edges = [column, column + 1].map((edge) => Math.abs(scale.msAt(edge * COLUMN_WIDTH)));
  return Math.max(1, Math.ceil(Math.max(...edges)) - Math.ceil(Math.min(...edges)));
}
