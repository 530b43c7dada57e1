import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lateness, median, percentile } from "../../bench/measure.ts";

const job = (n: number, dueAtMs: number) => ({ n, account: 0, dueAtMs, url: "", body: "" });
const arrived = (...arrivals: number[]) => ({ arrivals: new Float64Array(arrivals), duplicates: 0, lastAtMs: 0 });

describe("percentile", () => {
  test("is one of the values, and at least that share of them does not exceed it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { minLength: 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, share) => {
          const sorted = values.sort((a, b) => a - b);
          const found = percentile(sorted, share) as number;
          expect(sorted).toContain(found);
          expect(sorted.filter((value) => value <= found).length).toBeGreaterThanOrEqual(sorted.length * share);
        },
      ),
    );
  });

  test("of no values there is none", () => {
    expect(percentile([], 0.5)).toBeNull();
  });
});

describe("median", () => {
  test("is the middle one, or between the two in the middle, whatever the order", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 2, 9])).toBe(3);
  });

  test("what was not measured does not count", () => {
    expect(median([null, 3, null])).toBe(3);
    expect(median([null])).toBeNull();
  });
});

describe("lateness", () => {
  test("an arrival before the instant is early, one within the precision of the clock is not", () => {
    const jobs = [job(0, 1_000), job(1, 1_000), job(2, 1_000)];
    expect(lateness(jobs, 3, arrived(999.9, 999.96, 1_001)).early).toBe(1);
  });

  test("a job that never came is lost, and has no lateness", () => {
    const figures = lateness([job(0, 1_000), job(1, 1_000)], 2, arrived(1_003, Number.NaN));
    expect(figures).toMatchObject({ lost: 1, p50: 3, max: 3 });
  });

  test("jobs to a target that never answers do not count", () => {
    const figures = lateness([job(0, 1_000), job(1, 1_000)], 1, arrived(1_001, 9_000));
    expect(figures).toMatchObject({ lost: 0, max: 1 });
  });
});
