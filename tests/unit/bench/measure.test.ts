import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lateness, latenessOfOthers, median, percentile } from "../../bench/measure.ts";

const job = (n: number, dueAtMs: number) => ({ n, account: 0, dueAtMs, url: "", body: "" });
const arrived = (...arrivals: number[]) => ({ arrivals: new Float64Array(arrivals), duplicates: 0, lastAtMs: 0 });

describe("percentile", () => {
  test("is one of the values, and at least the given share of the values does not exceed it", () => {
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

  test("is null when there are no values", () => {
    expect(percentile([], 0.5)).toBeNull();
  });
});

describe("median", () => {
  test("is the middle value, or the mean of the two middle ones, in whatever order the values come", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 2, 9])).toBe(3);
  });

  test("leaves out rounds that were not measured", () => {
    expect(median([null, 3, null])).toBe(3);
    expect(median([null])).toBeNull();
  });
});

describe("lateness", () => {
  test("counts an arrival before the instant as early, but not one within the clock's precision", () => {
    const jobs = [job(0, 1_000), job(1, 1_000), job(2, 1_000)];
    expect(lateness(jobs, { control: 3, answered: 3 }, arrived(999.9, 999.96, 1_001)).early).toBe(1);
  });

  test("counts a job that never arrived as lost and gives it no lateness", () => {
    const figures = lateness([job(0, 1_000), job(1, 1_000)], { control: 2, answered: 2 }, arrived(1_003, Number.NaN));
    expect(figures).toMatchObject({ lost: 1, p50: 3, max: 3 });
  });

  test("leaves out jobs to a target that never answers", () => {
    const figures = lateness([job(0, 1_000), job(1, 1_000)], { control: 1, answered: 1 }, arrived(1_001, 9_000));
    expect(figures).toMatchObject({ lost: 0, max: 1 });
  });

  test("leaves jobs outside the control group out of its figures, and counts them as lost when the run waited for them", () => {
    const jobs = [job(0, 1_000), job(1, 1_000), job(2, 1_000)];
    const figures = lateness(jobs, { control: 1, answered: 3 }, arrived(1_001, 9_000, Number.NaN));
    expect(figures).toMatchObject({ p99: 1, max: 1, lost: 1 });
  });
});

describe("latenessOfOthers", () => {
  test("measures the jobs outside the control group, and how many of them arrived per second", () => {
    const jobs = [job(0, 1_000), job(1, 1_000), job(2, 1_100), job(3, 1_200)];
    expect(latenessOfOthers(jobs, 1, arrived(1_001, 1_500, 2_000, Number.NaN), 1_000)).toEqual({
      othersP50: 500,
      othersP99: 900,
      othersMax: 900,
      othersPerSecond: 2,
    });
  });

  test("is null when every job is in the control group", () => {
    expect(latenessOfOthers([job(0, 1_000)], 1, arrived(1_001), 1_000)).toMatchObject({
      othersP50: null,
      othersMax: null,
      othersPerSecond: null,
    });
  });
});
