import { bucketRange, offsetBucket } from "#domain/punctuality.ts";
import type { LatenessCount } from "./histogram-lines.ts";
import { type LatenessScale, MAJOR_MS, MINOR_MS } from "./lateness-scale.ts";

/** The requests between two neighbouring ticks of the axis: all counted offsets in it, whole ms. Null: without an end. */
export type LatenessZone = { fromMs: number | null; toMs: number | null; count: number };

/** Counted latenesses by zone, ascending; without zones in which nothing was sent. */
export function latenessZones(counts: readonly LatenessCount[]): LatenessZone[] {
  const zones = new Map<number, LatenessZone>();
  for (const { ms, count } of counts) {
    if (count <= 0) continue;
    const at = EDGES.findLastIndex((edge) => edge <= Math.abs(ms));
    const key = ms < 0 ? -at : at;
    const zone = zones.get(key) ?? { ...edgesOf(at, ms < 0), count: 0 };
    zones.set(key, { ...zone, count: zone.count + count });
  }
  return [...zones].sort(([a], [b]) => a - b).map(([, zone]) => zone);
}

/** The id of the row of a zone in a table. */
export const zoneId = ({ fromMs, toMs }: LatenessZone) => `late-${fromMs ?? ""}-${toMs ?? ""}`;

/** Where a zone begins and ends on a scale, percent of the width. */
export function zonePlace({ fromMs, toMs }: LatenessZone, { xOf }: LatenessScale): { x: number; width: number } {
  const x = fromMs === null ? 0 : xOf(fromMs - HALF);
  return { x, width: (toMs === null ? 100 : xOf(toMs + HALF)) - x };
}

const HALF = 0.5;

// The ticks of the axis and the limit. From 100 ms on counts are by bucket, so a zone begins where the bucket of its tick does.
const EDGES = [0, ...new Set([...MAJOR_MS, ...MINOR_MS, 251])]
  .map((ms) => bucketRange(offsetBucket(ms)).fromMs ?? ms)
  .sort((a, b) => a - b);

function edgesOf(at: number, isEarly: boolean) {
  const [first, next] = [EDGES[at] ?? 0, EDGES[at + 1]];
  const last = next === undefined ? null : next - 1;
  return isEarly ? { fromMs: last === null ? null : -last, toMs: -first } : { fromMs: first, toMs: last };
}
