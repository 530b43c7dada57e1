import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { overviewFigures, overviewSpan, PERIODS, type StepCount } from "#domain/overview.ts";
import { offsetBucket } from "#domain/punctuality.ts";

const anyOffset = fc.oneof(
  fc.integer({ min: -500, max: 250 }),
  fc.double({ min: 0, max: Math.log(86_400_000), noNaN: true }).map((log) => Math.round(Math.exp(log))),
);
const DAY_MS = 86_400_000;
const anyInstant = fc.integer({ min: 1_700_000_000_000, max: 4_000_000_000_000 });
const anyOffsets = fc.array(fc.record({ step: fc.nat(3), offsetMs: anyOffset }), { minLength: 1, maxLength: 200 });

/** The counts as the database has them: one row per step and bucket, with its extremes. */
function counted(offsets: { step: number; offsetMs: number }[]): StepCount[] {
  const groups = Map.groupBy(offsets, ({ step, offsetMs }) => `${step} ${offsetBucket(offsetMs)}`);
  return [...groups.values()].map((group) => {
    const all = group.map(({ offsetMs }) => offsetMs);
    const { step, offsetMs } = group[0] as (typeof group)[0];
    const [minMs, maxMs] = [Math.min(...all), Math.max(...all)];
    return { step, kind: "offset", bucket: offsetBucket(offsetMs), n: all.length, minMs, maxMs };
  });
}

const outcome = (bucket: number, n: number): StepCount => ({
  step: 0,
  kind: "outcome",
  bucket,
  n,
  minMs: null,
  maxMs: null,
});

function exactPercentile(offsets: number[], percent: number): number {
  return offsets.toSorted((a, b) => a - b)[Math.max(Math.ceil((percent * offsets.length) / 100), 1) - 1] as number;
}

function expectClose(value: number | null, exact: number) {
  const allowed = Math.abs(exact) < 100 ? 1 : Math.abs(exact) * 0.02;
  expect(Math.abs((value ?? Number.NaN) - exact)).toBeLessThanOrEqual(allowed);
}

describe("a span", () => {
  test.each([
    ["24h", 7, 24],
    ["7d", 7, 28],
    ["30d", 7, 7],
    ["24h", 30, 24],
    ["7d", 30, 28],
    ["30d", 30, 30],
    ["7d", 1, 4],
    ["30d", 1, 1],
    ["30d", 365, 30],
  ] as const)("of %s with %d days of retention has %d buckets", (period, retentionDays, steps) => {
    expect(overviewSpan(period, retentionDays, Date.now()).steps).toBe(steps);
  });

  test("ends with the current bucket and never reaches back beyond the retention window", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PERIODS),
        fc.integer({ min: 1, max: 3_650 }),
        anyInstant,
        (period, days, nowMs) => {
          const { startsAt, stepMs, steps } = overviewSpan(period, days, nowMs);
          expect(startsAt.getTime()).toBeGreaterThan(nowMs - days * DAY_MS);
          expect(steps).toBeGreaterThanOrEqual(1);
          const lastMs = startsAt.getTime() + (steps - 1) * stepMs;
          expect(Math.floor((nowMs - lastMs) / stepMs)).toBe(0);
          expect(startsAt.getTime() % stepMs).toBe(0);
        },
      ),
    );
  });
});

describe("percentiles", () => {
  test("are within 1 ms of the exact value below 100 ms and within 2 % above, over all steps and in each", () => {
    fc.assert(
      fc.property(anyOffsets, (offsets) => {
        const { offsetMs, series } = overviewFigures(counted(offsets), 4);
        const all = offsets.map((one) => one.offsetMs);
        expectClose(offsetMs.p50, exactPercentile(all, 50));
        expectClose(offsetMs.p95, exactPercentile(all, 95));
        for (const [step, { p50, p95 }] of series.entries()) {
          const own = offsets.filter((one) => one.step === step).map((one) => one.offsetMs);
          if (own.length === 0) continue;
          expectClose(p50, exactPercentile(own, 50));
          expectClose(p95, exactPercentile(own, 95));
        }
      }),
      { numRuns: 500 },
    );
  });

  test("lie between the extremes, which are exact", () => {
    fc.assert(
      fc.property(anyOffsets, (offsets) => {
        const { p50, p95, min, max } = overviewFigures(counted(offsets), 4).offsetMs;
        const all = offsets.map((one) => one.offsetMs);
        expect([min, max]).toEqual([Math.min(...all), Math.max(...all)]);
        expect([min, p50, p95, max]).toEqual([min, p50, p95, max].toSorted((a, b) => a - b));
      }),
    );
  });
});

describe("rates", () => {
  test("leave out interrupted attempts, which the volume includes", () => {
    const figures = overviewFigures([outcome(2, 6), outcome(5, 1), outcome(0, 1), outcome(-1, 2)], 1);
    expect(figures).toMatchObject({ successRate: 0.75, recentVolume: 10 });
  });

  test.each([[[]], [[outcome(-1, 3)]]])("are 0 when no attempt has a known outcome", (counts) => {
    expect(overviewFigures(counts, 2)).toMatchObject({
      successRate: 0,
      offsetMs: { p50: 0, p95: 0, min: 0, max: 0 },
      series: [
        { count: 0, p50: null, p95: null },
        { count: 0, p50: null, p95: null },
      ],
    });
  });
});
