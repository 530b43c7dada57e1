import { describe, expect, test } from "vitest";
import { parsePlans } from "#domain/plans.ts";
import { projectedUsage, quotaOf, usagePeriod, usageView } from "#domain/quota.ts";

const { free: limits } = parsePlans(undefined);

describe("usagePeriod", () => {
  test.each([
    ["2026-01-01T00:00:00.000Z", "202601"],
    ["2026-11-30T23:59:59.999Z", "202611"],
    ["2026-12-01T00:00:00.000Z", "202612"],
    ["2026-12-31T23:30:00.000-01:00", "202701"],
  ])("of %s is %s, by UTC", (instant, period) => {
    expect(usagePeriod(Date.parse(instant))).toBe(period);
  });
});

describe("usageView", () => {
  const epochMs = Date.parse("2026-02-03T04:05:06Z");
  const view = (scheduled: number) => usageView({ epochMs, plan: "free", limits, env: "live", scheduled });

  test("has the fields of the contract", () => {
    expect(view(3)).toStrictEqual({
      period: "202602",
      plan: "free",
      scheduled: 3,
      limit: 2_000,
      grace_limit: 2_200,
      over_limit: false,
    });
  });

  test.each([
    [0, false],
    [2_000, false],
    [2_001, true],
    [2_200, true],
    [9_999, true],
  ])("with %d of 2,000 schedules has over_limit %s", (scheduled, over) => {
    expect(view(scheduled).over_limit).toBe(over);
  });

  test("counts test schedules against a cap of their own, without grace", () => {
    expect(quotaOf(limits, "test")).toEqual({ limit: 1_000, graceLimit: 1_000 });
    expect(usageView({ epochMs, plan: "free", limits, env: "test", scheduled: 1_000 })).toMatchObject({
      limit: 1_000,
      grace_limit: 1_000,
      over_limit: false,
    });
  });
});

describe("the extrapolated usage of a month", () => {
  const endsAtMs = Date.UTC(2026, 3, 1);
  const at = (instant: string, scheduled = 1_412) =>
    projectedUsage({ scheduled, nowMs: Date.parse(instant), endsAtMs });

  test("continues the pace so far to the end of the month", () => {
    expect(at("2026-03-16T12:00:00Z", 1_000)).toBe(2_000);
    expect(at("2026-03-27T14:32:00Z")).toBe(1_645);
    expect(at("2026-03-31T23:59:59.999Z")).toBe(1_412);
    expect(at("2026-03-11T00:00:00Z", 0)).toBe(0);
  });

  test("is null during its first day", () => {
    expect(at("2026-03-01T23:59:59.999Z")).toBeNull();
    expect(at("2026-03-02T00:00:00Z", 10)).toBe(310);
  });
});
