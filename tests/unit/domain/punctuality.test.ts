import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bucketValue, offsetBucket, percentile } from "#domain/punctuality.ts";

const MONTH_MS = 30 * 86_400_000;
const anyOffset = fc.oneof(
  fc.integer({ min: -1_000, max: 1_000 }),
  fc.integer({ min: -MONTH_MS, max: MONTH_MS }),
  fc
    .tuple(fc.double({ min: 0, max: Math.log(MONTH_MS), noNaN: true }), fc.constantFrom(-1, 1))
    .map(([log, sign]) => sign * Math.min(MONTH_MS, Math.round(Math.exp(log)))),
);

const countsOf = (offsets: number[]) => offsets.map((offsetMs) => ({ bucket: offsetBucket(offsetMs), n: 1 }));
const isClose = (value: number, offsetMs: number) => Math.abs(value - offsetMs) <= Math.abs(offsetMs) * 0.02;

describe("offsetBucket", () => {
  test("keeps every millisecond below 100 ms exactly", () => {
    for (let offsetMs = -99; offsetMs < 100; offsetMs++) {
      expect(bucketValue(offsetBucket(offsetMs))).toBe(offsetMs);
    }
  });

  test("represents a longer offset with an error of at most 2 %", () => {
    for (let offsetMs = 100; offsetMs < 30_000; offsetMs++) {
      expect(isClose(bucketValue(offsetBucket(offsetMs)), offsetMs), `${offsetMs} ms`).toBe(true);
    }
    fc.assert(
      fc.property(anyOffset, (offsetMs) => {
        expect(isClose(bucketValue(offsetBucket(offsetMs)), offsetMs)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("never puts a later offset into an earlier bucket", () => {
    fc.assert(
      fc.property(anyOffset, anyOffset, (a, b) => {
        fc.pre(a <= b);
        expect(offsetBucket(a)).toBeLessThanOrEqual(offsetBucket(b));
        expect(bucketValue(offsetBucket(a))).toBeLessThanOrEqual(bucketValue(offsetBucket(b)));
      }),
    );
  });

  test("mirrors early offsets as late ones, and the value of a bucket lies in that bucket", () => {
    fc.assert(
      fc.property(anyOffset, (offsetMs) => {
        const bucket = offsetBucket(offsetMs);
        expect(offsetBucket(-offsetMs)).toBe(0 - bucket);
        expect(offsetBucket(bucketValue(bucket))).toBe(bucket);
      }),
    );
  });

  test("counts offsets beyond 30 days as 30 days, and every bucket number fits a smallint", () => {
    expect(offsetBucket(MONTH_MS * 100)).toBe(offsetBucket(MONTH_MS));
    expect(offsetBucket(-MONTH_MS * 100)).toBe(offsetBucket(-MONTH_MS));
    expect(offsetBucket(MONTH_MS)).toBeLessThan(1_000);
  });

  test("never gives negative zero", () => {
    for (const offsetMs of [0, -0, -0.4, 0.4]) {
      expect(Object.is(offsetBucket(offsetMs), 0)).toBe(true);
    }
  });
});

describe("percentile", () => {
  test.each([
    [[7], 50, 7],
    [[7], 95, 7],
    [[1, 2], 50, 1],
    [[1, 2, 3], 50, 2],
    [[15, 20, 35, 40, 50], 30, 20],
    [[15, 20, 35, 40, 50], 40, 20],
    [[15, 20, 35, 40, 50], 100, 50],
    [[15, 20, 35, 40, 50], 0, 15],
    [[3, -2, 0, -9], 50, -2],
  ])("of %j at %d percent is %d by nearest rank", (offsets, percent, expected) => {
    expect(percentile(countsOf(offsets), percent)).toBe(expected);
  });

  test("of no values is null", () => {
    expect(percentile([], 50)).toBeNull();
    expect(percentile([{ bucket: 4, n: 0 }], 50)).toBeNull();
  });

  test("is within 2 % of the nearest rank over the exact offsets", () => {
    fc.assert(
      fc.property(fc.array(anyOffset, { minLength: 1 }), fc.integer({ min: 1, max: 100 }), (offsets, percent) => {
        const sorted = offsets.toSorted((a, b) => a - b);
        const exact = sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? Number.NaN;
        expect(isClose(percentile(countsOf(offsets), percent) ?? Number.NaN, exact)).toBe(true);
      }),
    );
  });

  test("adds up the rows of one bucket, in any order", () => {
    const rows = [
      { bucket: 9, n: 1 },
      { bucket: 1, n: 60 },
      { bucket: 9, n: 39 },
    ];
    expect(percentile(rows, 60)).toBe(1);
    expect(percentile(rows, 61)).toBe(9);
    expect(percentile(rows.toReversed(), 61)).toBe(9);
  });
});
