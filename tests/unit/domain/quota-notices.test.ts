import { expect, test } from "vitest";
import { parsePlans } from "#domain/plans.ts";
import { nextMonthMs, quotaLevels, quotaReachedAtMs } from "#domain/quota-notices.ts";

const levels = (monthlyQuota: number) =>
  quotaLevels(parsePlans(JSON.stringify({ free: { monthlyQuota } })).free).map(({ from }) => from);

test.each([
  [2_000, [1_600, 2_000, 2_200]],
  [50_000, [40_000, 50_000, 55_000]],
  [7, [6, 7, 7]],
  [1, [1, 1, 1]],
  [0, [1, 1, 1]],
])("with a quota of %i, the owner is notified at %j schedules", (quota, expected) => {
  expect(levels(quota)).toEqual(expected);
});

const notice = { level: 80, period: "202603", scheduled: 1_600, limit: 2_000, graceLimit: 2_200 } as const;

test("the expected day on which the quota is reached follows from the month so far, unless the month ends first", () => {
  expect(quotaReachedAtMs({ ...notice, atMs: Date.UTC(2026, 2, 17) })).toBe(Date.UTC(2026, 2, 21));
  expect(quotaReachedAtMs({ ...notice, atMs: Date.UTC(2026, 2, 31) })).toBeNull();
});

test("the month after December is January of the next year", () => {
  expect(nextMonthMs("202612")).toBe(Date.UTC(2027, 0));
});
