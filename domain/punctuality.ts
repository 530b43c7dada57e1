/**
 * Maximum offset of a first attempt that counts as on time, ms. Applied to raw offsets, since buckets are too coarse.
 */
export const ON_TIME_WITHIN_MS = 250;

/**
 * Histogram bucket of an offset in whole ms. Below 100 ms each value has its own; above, buckets grow by 3 %, which
 * keeps their middle within 2 % of every offset in them. Negative offsets mirror positive ones; an offset over 30 days
 * counts as 30 days. Buckets sort as their offsets do and fit a smallint.
 */
export function offsetBucket(offsetMs: number): number {
  const size = Math.min(Math.abs(Math.round(offsetMs)), OFFSET_MAX_MS);
  const bucket = size < EXACT_BELOW ? size : EXACT_BELOW + Math.floor(Math.log(size / EXACT_BELOW) / Math.log(GROWTH));
  return offsetMs < 0 ? 0 - bucket : bucket;
}

/** The representative offset of a bucket in whole ms: exact below 100 ms, otherwise the geometric middle. */
export function bucketValue(bucket: number): number {
  const index = Math.abs(bucket);
  if (index < EXACT_BELOW) return bucket;
  return Math.sign(bucket) * Math.round(EXACT_BELOW * GROWTH ** (index - EXACT_BELOW + 0.5));
}

/** The first and the last offset of a bucket, whole ms; null where it has no end: it counts all beyond 30 days. */
export function bucketRange(bucket: number): { fromMs: number | null; toMs: number | null } {
  const index = Math.abs(bucket);
  const first = firstOf(index);
  const last = index >= offsetBucket(OFFSET_MAX_MS) ? null : firstOf(index + 1) - 1;
  if (bucket >= 0) return { fromMs: first, toMs: last };
  return { fromMs: last === null ? null : -last, toMs: -first };
}

// The logarithm decides and not its inverse, which may round to the neighbour.
function firstOf(index: number): number {
  if (index < EXACT_BELOW) return index;
  let size = Math.floor(EXACT_BELOW * GROWTH ** (index - EXACT_BELOW)) - 1;
  while (offsetBucket(size) < index && size < OFFSET_MAX_MS) size += 1;
  return size;
}

/**
 * Nearest-rank percentile of counted buckets, in ms: the smallest value such that `percent` (0 to 100) of all counts
 * are at or below it. Rows may come in any order and repeat a bucket. Null when nothing was counted.
 */
export function percentile(counts: readonly { bucket: number; n: number }[], percent: number): number | null {
  const sorted = counts.filter(({ n }) => n > 0).sort((a, b) => a.bucket - b.bucket);
  const total = sorted.reduce((sum, { n }) => sum + n, 0);
  const rank = Math.max(1, Math.ceil((percent * total) / 100));
  let seen = 0;
  for (const { bucket, n } of sorted) {
    seen += n;
    if (seen >= rank) return bucketValue(bucket);
  }
  return null;
}

/** `count` attempts had an offset of `ms`. */
export type OffsetCount = { ms: number; count: number };

/** Counted buckets as a histogram with one entry per offset, ascending. Rows may repeat a bucket. */
export function histogramOf(counts: readonly { bucket: number; n: number }[]): OffsetCount[] {
  const byBucket = new Map<number, number>();
  for (const { bucket, n } of counts) byBucket.set(bucket, (byBucket.get(bucket) ?? 0) + n);
  return [...byBucket]
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => a - b)
    .map(([bucket, count]) => ({ ms: bucketValue(bucket), count }));
}

const EXACT_BELOW = 100;
const GROWTH = 1.03;
const OFFSET_MAX_MS = 30 * 86_400_000;
