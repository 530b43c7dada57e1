import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCron } from "#domain/cron.ts";
import { leadOf, type SteppedRecurrence, stepRecurrence, withoutRefused } from "#domain/recurrence-step.ts";

const MINUTE_MS = 60_000;
const NOON = Date.parse("2026-06-01T12:00:00Z");

function recurrence(cron: string, overrides: Partial<SteppedRecurrence> = {}): SteppedRecurrence {
  const parsed = parseCron(cron);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  return {
    ...{ rule: parsed.rule, zone: "UTC", onClockChange: "first", endsAtMs: null, catchUp: "latest" },
    ...{ shareMs: 0, leadMs: 90_000, madeUntilMs: NOON, isNew: false },
    ...overrides,
  };
}

const times = (step: { make: { atMs: number }[] }) =>
  step.make.map(({ atMs }) => new Date(atMs).toISOString().slice(5, 16));

describe("a step of a recurrence", () => {
  it("makes the next occurrence however far ahead, and is due again before that passes", () => {
    const step = stepRecurrence(recurrence("0 9 1 1 *"), NOON);
    expect(times(step)).toEqual(["01-01T09:00"]);
    expect(step.nextStepAtMs).toBe(Date.parse("2027-01-01T08:58:30Z"));
  });

  it("goes on when a later month has begun with the first instant that waits for its quota, and makes it then", () => {
    const nowMs = Date.parse("2026-06-30T23:59:10Z");
    const one = recurrence("* * * * *", { madeUntilMs: Date.parse("2026-06-30T23:59:00Z"), leadMs: 150_000 });
    const planned = stepRecurrence(one, nowMs);
    expect(times(planned)).toEqual(["07-01T00:00", "07-01T00:01", "07-01T00:02"]);
    const [first, second] = planned.make.map(({ atMs }) => atMs) as [number, number];
    const without = (refusedMs: number[], shareMs = 0) => withoutRefused(planned, refusedMs, { shareMs, nowMs });
    // A millisecond before the month begins, it is left out.
    expect(without([first], -1)).toEqual({
      ...planned,
      leftOut: [{ fromMs: first, toMs: first, count: 1, reason: "over_quota" }],
    });
    for (const refused of [[first], [first, second], [second, first]]) {
      const step = without(refused);
      expect(step).toMatchObject({ make: [], madeUntilMs: one.madeUntilMs, nextStepAtMs: first });
      const later = stepRecurrence({ ...one, madeUntilMs: step.madeUntilMs }, first + 5);
      expect(times(later).slice(0, 2)).toEqual(["07-01T00:00", "07-01T00:01"]);
      expect(later.leftOut).toEqual([]);
    }
    expect(without([second])).toMatchObject({ make: [{ atMs: first }], madeUntilMs: first });
  });

  it("makes all occurrences of the next 90 s and the one after them", () => {
    const step = stepRecurrence(recurrence("* * * * *"), NOON);
    expect(times(step)).toEqual(["06-01T12:01", "06-01T12:02"]);
    expect(step.nextStepAtMs).toBe(NOON + 2 * MINUTE_MS - 90_000);
  });

  it("makes nothing before it is due again, and the first occurrence at once however large the spread", () => {
    const made = recurrence("0 13 * * *", { madeUntilMs: NOON + 60 * MINUTE_MS });
    expect(stepRecurrence(made, NOON)).toMatchObject({ make: [], nextStepAtMs: NOON + 60 * MINUTE_MS - 90_000 });
    const spread = recurrence("0 13 * * *", { shareMs: 59 * MINUTE_MS, isNew: true });
    expect(times(stepRecurrence(spread, NOON))).toEqual(["06-01T13:00"]);
  });

  it("makes every instant once, whenever its steps come, and always has the next one", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("* * * * *", "*/7 * * * *", "0,3 * * * *"),
        fc.integer({ min: 0, max: 59_999 }),
        fc.array(fc.integer({ min: 0, max: 80_000 }), { minLength: 1, maxLength: 20 }),
        (cron, shareMs, delays) => {
          let [one, nowMs] = [recurrence(cron, { shareMs }), NOON + shareMs];
          const made: number[] = [];
          for (const delayMs of delays) {
            const step = stepRecurrence(one, nowMs);
            made.push(...step.make.map(({ atMs }) => atMs));
            expect(step.leftOut).toEqual([]);
            expect(step.madeUntilMs + shareMs).toBeGreaterThan(nowMs + 90_000);
            one = { ...one, madeUntilMs: step.madeUntilMs };
            nowMs = Math.max(nowMs, step.nextStepAtMs as number) + delayMs;
          }
          const all = stepRecurrence(recurrence(cron, { leadMs: 0 }), NOON);
          expect(made[0]).toBe(all.make[0]?.atMs);
          expect(new Set(made).size).toBe(made.length);
          const gaps = made.slice(1).map((atMs, at) => atMs - (made[at] as number));
          expect(gaps.every((ms) => ms <= 57 * MINUTE_MS)).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("makes of the instants that passed the latest, or none, and tells the others", () => {
    const madeUntilMs = NOON - 5 * MINUTE_MS;
    const latest = stepRecurrence(recurrence("* * * * *", { madeUntilMs }), NOON + 1);
    expect(times(latest)).toEqual(["06-01T12:00", "06-01T12:01", "06-01T12:02"]);
    expect(latest.leftOut).toEqual([
      { fromMs: NOON - 4 * MINUTE_MS, toMs: NOON - MINUTE_MS, count: 4, reason: "missed" },
    ]);
    const none = stepRecurrence(recurrence("* * * * *", { madeUntilMs, catchUp: "none" }), NOON + 1);
    expect(times(none)).toEqual(["06-01T12:01", "06-01T12:02"]);
    expect(none.leftOut).toEqual([{ fromMs: NOON - 4 * MINUTE_MS, toMs: NOON, count: 5, reason: "missed" }]);
  });

  it("after a year of missed minutes continues with the latest one", () => {
    const step = stepRecurrence(recurrence("* * * * *", { madeUntilMs: NOON - 365 * 1_440 * MINUTE_MS }), NOON + 1);
    expect(times(step)[0]).toBe("06-01T12:00");
    expect(step.leftOut).toMatchObject([{ count: null, reason: "missed" }]);
  });

  it("ends when its last instant has passed, not before", () => {
    const one = recurrence("0 13 * * *", { endsAtMs: NOON + 60 * MINUTE_MS });
    const first = stepRecurrence(one, NOON);
    expect(times(first)).toEqual(["06-01T13:00"]);
    const made = { ...one, madeUntilMs: first.madeUntilMs };
    const second = stepRecurrence(made, first.nextStepAtMs as number);
    expect(second).toMatchObject({ make: [], nextStepAtMs: NOON + 60 * MINUTE_MS });
    expect(stepRecurrence(made, NOON + 60 * MINUTE_MS)).toMatchObject({ make: [], leftOut: [], nextStepAtMs: null });
  });

  it("is made 90 to 150 s ahead, and up to 210 s where instants are 15 minutes apart", () => {
    expect([leadOf(MINUTE_MS, 0), leadOf(MINUTE_MS, 0.999)].map((ms) => Math.round(ms / 1_000))).toEqual([90, 150]);
    expect([leadOf(15 * MINUTE_MS, 0), leadOf(15 * MINUTE_MS, 0.999)].map((ms) => Math.round(ms / 1_000))).toEqual([
      90, 210,
    ]);
  });
});
