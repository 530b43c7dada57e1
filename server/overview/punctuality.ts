import { type PublicCounts, readPublicCounts } from "#db/queries/attempts/public-punctuality.ts";
import { bucketValue, ON_TIME_WITHIN_MS, percentile } from "#domain/punctuality.ts";
import { cacheFor } from "../cache-for.ts";
import { DATABASE_BUDGET_MS, getServices, type Services } from "../services.ts";

/** How long the figures are cached, by this process and by callers, s. */
export const PUNCTUALITY_MAX_AGE_S = 30;

/** The public figures of the last 24 hours, at most `PUNCTUALITY_MAX_AGE_S` old. */
export async function readPunctuality() {
  return presentPunctuality(await readCounts());
}

/** The same figures with their histogram: lateness in ms and number of schedules. */
export async function readPunctualityHistogram() {
  const counts = await readCounts();
  const histogram = counts.counts.map(({ bucket, n }) => ({ ms: bucketValue(bucket), count: n }));
  return { ...presentPunctuality(counts), histogram };
}

function readCounts(): Promise<PublicCounts> {
  const services = getServices();
  const read = readers.get(services) ?? cacheFor(PUNCTUALITY_MAX_AGE_S * 1_000, () => fetchCounts(services));
  readers.set(services, read);
  return read();
}

const readers = new WeakMap<Services, () => Promise<PublicCounts>>();

async function fetchCounts({ installation, connection }: Services): Promise<PublicCounts> {
  await installation();
  return connection.run(DATABASE_BUDGET_MS, ({ sql }) => readPublicCounts(sql));
}

function presentPunctuality({ at, counts }: PublicCounts) {
  const sent = counts.reduce((sum, { n }) => sum + n, 0);
  const onTime = counts.reduce((sum, count) => sum + count.onTime, 0);
  // Early attempts count as 0 ms late.
  const floored = counts.map(({ bucket, n }) => ({ bucket: Math.max(bucket, 0), n }));
  return {
    window: "24h" as const,
    sent,
    on_time_rate: sent === 0 ? 0 : onTime / sent,
    on_time_within_ms: ON_TIME_WITHIN_MS,
    offset_ms: { p50: percentile(floored, 50) ?? 0, p95: percentile(floored, 95) ?? 0 },
    updated_at: at.toISOString(),
  };
}
