import { expect, it } from "vitest";
import { isLateDay, PUBLIC_DAYS, publicDays } from "#domain/public-days.ts";
import { statusVerdict } from "#domain/status-verdict.ts";

const DAY_MS = 86_400_000;
const NOW = Date.parse("2026-11-26T18:30:00Z");
const TODAY = Date.parse("2026-11-26T00:00:00Z");

it("a day on which nothing was sent is there, with zeros, and none is invented beside the 90", () => {
  const days = publicDays([{ dayMs: TODAY - 2 * DAY_MS, bucket: 4, n: 10, onTime: 10 }], NOW);
  expect(days).toHaveLength(PUBLIC_DAYS);
  expect([days[0]?.startsAtMs, days.at(-1)?.startsAtMs]).toEqual([TODAY - 89 * DAY_MS, TODAY]);
  expect(days.filter(({ sent }) => sent > 0)).toEqual([
    { startsAtMs: TODAY - 2 * DAY_MS, sent: 10, onTime: 10, p50: 4, p95: 4 },
  ]);
  expect(days.at(-1)).toEqual({ startsAtMs: TODAY, sent: 0, onTime: 0, p50: null, p95: null });
});

it("early requests of a day count as on the instant", () => {
  const days = publicDays([{ dayMs: TODAY, bucket: -7, n: 3, onTime: 3 }], NOW);
  expect(days.at(-1)).toMatchObject({ sent: 3, p50: 0, p95: 0 });
});

it.each([
  [0, 0, false],
  [1_000, 999, false],
  [1_000, 998, true],
  [1, 0, true],
])("of %i requests %i on time: the day is late: %s", (sent, onTime, late) => {
  expect(isLateDay({ sent, onTime })).toBe(late);
});

const quarter = (count: number, p95: number | null) => ({ startsAtMs: 0, count, p50: p95, p95 });
const figures = (...series: ReturnType<typeof quarter>[]) => ({
  sent: series.reduce((sum, { count }) => sum + count, 0),
  onTimeRate: 1,
  onTimeWithinMs: 250,
  series,
});
const fine = { isRunning: true, isOld: false };
const none = quarter(0, null);

it.each([
  ["unknown", figures(quarter(9, 4)), { ...fine, isRunning: null }],
  ["unknown", figures(quarter(9, 4)), { ...fine, isOld: true }],
  ["stopped", figures(quarter(9, 4)), { ...fine, isRunning: false }],
  ["quiet", figures(none), fine],
  ["on-time", figures(quarter(9, 250)), fine],
  ["late-now", figures(quarter(9, 251)), fine],
  ["late-now", figures(quarter(9, 251), none, none, none), fine],
  ["on-time", figures(quarter(9, 251), none, none, none, none), fine],
  ["on-time", figures(quarter(9, 251), quarter(1, 3)), fine],
  ["was-late", { ...figures(quarter(9, 251), quarter(1, 3)), onTimeRate: 0.9989 }, fine],
  ["on-time", { ...figures(quarter(1, 3)), onTimeRate: 0.999 }, fine],
] as const)("the verdict is %s (case %#)", (verdict, counted, state) => {
  expect(statusVerdict(counted, state)).toBe(verdict);
});
