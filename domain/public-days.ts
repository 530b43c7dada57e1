import { percentile } from "./punctuality.ts";

/** For how many days, today included, the public punctuality is kept and shown. */
export const PUBLIC_DAYS = 90;

/** The share of the requests of a day that must leave on time, or the day counts as late. */
export const DAY_ON_TIME_RATE = 0.999;

/** The attempts counted in one bucket of offsets on the day (UTC) that begins at `dayMs` (epoch ms). */
export type PublicDayCount = { dayMs: number; bucket: number; n: number; onTime: number };

/**
 * One day (UTC), beginning at `startsAtMs` (epoch ms). `onTime`: how many of the `sent` requests were on time. The percentiles
 * are in ms, early counts as 0; null when nothing was sent.
 */
export type PublicDay = { startsAtMs: number; sent: number; onTime: number; p50: number | null; p95: number | null };

/** The last `PUBLIC_DAYS` days up to that of `nowMs`, oldest first. A day on which nothing was sent has zeros. */
export function publicDays(counts: readonly PublicDayCount[], nowMs: number): PublicDay[] {
  const ofDay = Map.groupBy(
    counts.map((count) => ({ ...count, bucket: Math.max(count.bucket, 0) })),
    ({ dayMs }) => dayMs,
  );
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  return Array.from({ length: PUBLIC_DAYS }, (_, at) => {
    const startsAtMs = todayMs - (PUBLIC_DAYS - 1 - at) * DAY_MS;
    const own = ofDay.get(startsAtMs) ?? [];
    return {
      startsAtMs,
      sent: own.reduce((sum, { n }) => sum + n, 0),
      onTime: own.reduce((sum, { onTime }) => sum + onTime, 0),
      p50: percentile(own, 50),
      p95: percentile(own, 95),
    };
  });
}

/** Whether too few of the requests of a day left on time. */
export function isLateDay({ sent, onTime }: Pick<PublicDay, "sent" | "onTime">): boolean {
  return onTime < sent * DAY_ON_TIME_RATE;
}

const DAY_MS = 86_400_000;
