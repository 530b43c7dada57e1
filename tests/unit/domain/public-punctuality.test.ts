import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { publicPunctuality, type QuarterCount } from "#domain/public-punctuality.ts";
import { histogramOf, offsetBucket, percentile } from "#domain/punctuality.ts";

const QUARTER_MS = 900_000;
const NOW_MS = Date.UTC(2030, 5, 1, 12, 7, 31);
const LAST_MS = Date.UTC(2030, 5, 1, 12);

const count = (offsetMs: number, more: Partial<QuarterCount> = {}): QuarterCount => {
  const n = more.n ?? 1;
  return { quarterMs: LAST_MS, bucket: offsetBucket(offsetMs), n, onTime: n, ...more };
};

describe("the public figures", () => {
  test("are zeros and 96 empty quarters of an hour when nothing was sent", () => {
    const figures = publicPunctuality([], NOW_MS);
    expect(figures).toMatchObject({ sent: 0, onTimeRate: 0, onTimeWithinMs: 250, p50: 0, p95: 0, histogram: [] });
    expect(figures.series).toHaveLength(96);
    expect(figures.series.at(-1)).toEqual({ startsAtMs: LAST_MS, count: 0, p50: null, p95: null });
    expect(figures.series[0]?.startsAtMs).toBe(LAST_MS - 95 * QUARTER_MS);
  });

  test("count early requests as on the instant, everywhere", () => {
    const figures = publicPunctuality([count(-300), count(-2), count(0), count(7)], NOW_MS);
    expect(figures).toMatchObject({ sent: 4, p50: 0, p95: 7 });
    expect(figures.histogram).toEqual([
      { ms: 0, count: 3 },
      { ms: 7, count: 1 },
    ]);
    expect(figures.series.at(-1)).toMatchObject({ count: 4, p50: 0, p95: 7 });
  });

  test("add up the quarters of an hour, and have each in the series", () => {
    const before = { quarterMs: LAST_MS - QUARTER_MS, n: 30, onTime: 30 };
    const figures = publicPunctuality([count(4, { n: 10, onTime: 6 }), count(4, before)], NOW_MS);
    expect(figures).toMatchObject({ sent: 40, onTimeRate: 0.9, histogram: [{ ms: 4, count: 40 }] });
    expect(figures.series.slice(-2)).toMatchObject([{ count: 30 }, { count: 10, p50: 4, p95: 4 }]);
  });
});

describe("a histogram", () => {
  const rows = fc.array(fc.record({ bucket: fc.integer({ min: -600, max: 600 }), n: fc.integer({ min: 0, max: 50 }) }));

  test("counts every request, has each offset once, and ascends", () => {
    fc.assert(
      fc.property(rows, (counts) => {
        const histogram = histogramOf(counts);
        expect(histogram.reduce((sum, entry) => sum + entry.count, 0)).toBe(counts.reduce((sum, { n }) => sum + n, 0));
        for (const [at, { ms, count: n }] of histogram.entries()) {
          expect(n).toBeGreaterThan(0);
          if (at > 0) expect(ms).toBeGreaterThan(histogram[at - 1]?.ms as number);
        }
      }),
    );
  });

  test("of two dispatchers, put together, has the percentiles of all that they counted", () => {
    fc.assert(
      fc.property(rows, rows, fc.integer({ min: 1, max: 100 }), (some, others, percent) => {
        const merged = histogramOf(
          [...histogramOf(some), ...histogramOf(others)].map(({ ms, count: n }) => ({ bucket: offsetBucket(ms), n })),
        );
        const again = merged.map(({ ms, count: n }) => ({ bucket: offsetBucket(ms), n }));
        expect(percentile(again, percent)).toBe(percentile([...some, ...others], percent));
      }),
    );
  });
});
