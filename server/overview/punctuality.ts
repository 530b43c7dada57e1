import { readPublicCounts } from "#db/queries/attempts/public-punctuality.ts";
import { cacheFor, rememberLast } from "#domain/cache-for.ts";
import { type PublicPunctuality, publicPunctuality } from "#domain/public-punctuality.ts";
import { DATABASE_BUDGET_MS, getServices, perServices, type Services } from "../services.ts";

/** How long the figures are cached, here and by callers, s. */
export const PUNCTUALITY_MAX_AGE_S = 30;

/** The public figures of the last 24 hours, and when they were read. */
export type Punctuality = PublicPunctuality & { updatedAt: Date };

/** The public figures, at most `PUNCTUALITY_MAX_AGE_S` old. Throws UNAVAILABLE while the database does not answer. */
export const readPunctuality = (): Promise<Punctuality> => figures().read();

/**
 * The public figures for a page. While the database does not answer: the last figures that this process has read, or
 * null.
 */
export async function readLastPunctuality(): Promise<Punctuality | null> {
  const { read, last } = figures();
  try {
    return await read();
  } catch (error) {
    getServices().log.warn({ err: error }, "the public punctuality could not be read");
    return last();
  }
}

/** The public figures as callers see them. */
export function presentPunctuality(figures: Punctuality) {
  return {
    ...presentPunctualitySummary(figures),
    histogram: figures.histogram,
    series: figures.series.map(({ startsAtMs, ...quarter }) => ({ t: new Date(startsAtMs).toISOString(), ...quarter })),
  };
}

/** The same without histogram and series. */
export function presentPunctualitySummary({ sent, onTimeRate, onTimeWithinMs, p50, p95, updatedAt }: Punctuality) {
  return {
    window: "24h" as const,
    sent,
    on_time_rate: onTimeRate,
    on_time_within_ms: onTimeWithinMs,
    offset_ms: { p50, p95 },
    updated_at: updatedAt.toISOString(),
  };
}

const figures = perServices((services) =>
  rememberLast(cacheFor(PUNCTUALITY_MAX_AGE_S * 1_000, () => readNow(services))),
);

async function readNow({ installation, anonymous }: Services): Promise<Punctuality> {
  await installation();
  const { atMs, counts } = await anonymous.run(DATABASE_BUDGET_MS, ({ sql }) => readPublicCounts(sql));
  return { ...publicPunctuality(counts, atMs), updatedAt: new Date(atMs) };
}
