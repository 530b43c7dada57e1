import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCron } from "#domain/cron.ts";
import {
  nextWithLeftOut,
  type Occurrence,
  type OnRecurringClockChange,
  occurrencesAfter,
  spreadShareMs,
} from "#domain/recurrence.ts";

function ruleOf(cron: string) {
  const parsed = parseCron(cron);
  if (!parsed.ok) throw new Error(`${cron}: ${parsed.fault.message}`);
  return parsed.rule;
}

type Options = { zone?: string; onClockChange?: OnRecurringClockChange; endsAt?: string };

function* instantsAfter(
  cron: string,
  instant: string | number,
  options: Options = {},
): Generator<Occurrence, undefined> {
  const { zone = "Europe/Berlin", onClockChange = "first", endsAt } = options;
  const endsAtMs = endsAt === undefined ? null : Date.parse(endsAt);
  yield* occurrencesAfter({ rule: ruleOf(cron), zone, onClockChange, endsAtMs }, new Date(instant).getTime());
}

function next(count: number, ...given: Parameters<typeof instantsAfter>): string[] {
  return instantsAfter(...given)
    .take(count)
    .map(
      ({ atMs, clockChange }) => `${new Date(atMs).toISOString().slice(0, 16)}Z${clockChange ? ` ${clockChange}` : ""}`,
    )
    .toArray();
}

describe("a recurrence", () => {
  it.each([
    ["first", ["2026-03-29T01:30Z gap", "2026-03-30T00:30Z"], ["2026-10-25T00:30Z repeat", "2026-10-26T01:30Z"]],
    ["second", ["2026-03-29T01:30Z gap", "2026-03-30T00:30Z"], ["2026-10-25T01:30Z repeat", "2026-10-26T01:30Z"]],
    ["skip", ["2026-03-30T00:30Z", "2026-03-31T00:30Z"], ["2026-10-26T01:30Z", "2026-10-27T01:30Z"]],
  ] as const)(
    "at a time of day has one instant at a change of the clocks, or none: %s",
    (onClockChange, gap, repeat) => {
      expect(next(2, "30 2 * * *", "2026-03-28T12:00Z", { onClockChange })).toEqual(gap);
      expect(next(2, "30 2 * * *", "2026-10-24T12:00Z", { onClockChange })).toEqual(repeat);
    },
  );

  it("whose hour is * or has a step comes in both repeated hours, and has nothing for a gap", () => {
    const through = ["2026-03-28T23:30Z", "2026-03-29T00:30Z", "2026-03-29T01:30Z"];
    expect(next(3, "30 * * * *", "2026-03-28T23:00Z")).toEqual(through);
    expect(next(3, "30 * * * *", "2026-10-24T23:00Z")).toEqual([
      ...["2026-10-24T23:30Z", "2026-10-25T00:30Z repeat", "2026-10-25T01:30Z repeat"],
    ]);
    expect(next(3, "0,30 */2 * * *", "2026-10-25T00:00Z", { onClockChange: "skip" })).toEqual([
      ...["2026-10-25T00:30Z repeat", "2026-10-25T01:00Z repeat", "2026-10-25T01:30Z repeat"],
    ]);
  });

  it("has an instant once where a time moved out of a gap meets one that exists", () => {
    expect(next(3, "0,30 2,3 * * *", "2026-03-29T00:00Z")).toEqual([
      ...["2026-03-29T01:00Z", "2026-03-29T01:30Z", "2026-03-30T00:00Z"],
    ]);
    expect(next(3, "0 9 * * *", "2011-12-29T00:00Z", { zone: "Pacific/Apia" })).toEqual([
      ...["2011-12-29T19:00Z", "2011-12-30T19:00Z", "2011-12-31T19:00Z"],
    ]);
  });

  it("that skips names what it leaves out between the instants that are sent, and nothing for elapsed time", () => {
    const named = (cron: string, count: number) =>
      nextWithLeftOut(
        { rule: ruleOf(cron), zone: "Europe/Berlin", onClockChange: "skip", endsAtMs: null },
        Date.parse("2026-03-28T12:00Z"),
        count,
      ).map(({ atMs, isLeftOut }) => `${new Date(atMs).toISOString().slice(0, 16)}Z${isLeftOut ? " left out" : ""}`);
    expect(named("30 2 29,30 3 *", 1)).toEqual(["2026-03-29T01:30Z left out", "2026-03-30T00:30Z"]);
    expect(named("30 2 25,26 10 *", 1)).toEqual(["2026-10-25T00:30Z left out", "2026-10-26T01:30Z"]);
    expect(named("30 */2 25 10 *", 3)).toEqual(["2026-10-24T22:30Z", "2026-10-25T00:30Z", "2026-10-25T01:30Z"]);
  });

  it("continues after any of its instants with those that follow, in order, each once", () => {
    const crons = ["0,20,40 * * * *", "15,45 0,1,2,3 * * *", "0 */5 * * *", "30 2 * * 0"];
    const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Antarctica/Troll", "Pacific/Apia"];
    fc.assert(
      fc.property(
        fc.constantFrom(...crons),
        fc.constantFrom(...zones),
        fc.constantFrom("first" as const, "second" as const, "skip" as const),
        // The last days of 2011, in which Apia skips one, and both changes of 2012.
        fc.integer({ min: Date.parse("2011-12-20"), max: Date.parse("2012-12-01") }),
        (cron, zone, onClockChange, fromMs) => {
          const all = [...instantsAfter(cron, fromMs, { zone, onClockChange }).take(40)];
          const [first, ...rest] = all;
          if (first === undefined) throw new Error("there is always a next instant");
          expect(first.atMs).toBeGreaterThan(fromMs);
          rest.reduce((before, one) => {
            expect(one.atMs).toBeGreaterThan(before.atMs);
            return one;
          }, first);
          expect([...instantsAfter(cron, first.atMs, { zone, onClockChange }).take(39)]).toEqual(rest);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("has its last instant at its end, not after it", () => {
    expect(next(9, "0 9 * * *", "2026-06-01T00:00Z", { zone: "UTC", endsAt: "2026-06-02T09:00Z" })).toEqual([
      ...["2026-06-01T09:00Z", "2026-06-02T09:00Z"],
    ]);
    expect(next(9, "0 9 * * *", "2026-06-01T00:00Z", { zone: "UTC", endsAt: "2026-06-01T08:59Z" })).toEqual([]);
  });

  it("is later by the same share of its spread each time, which is never the whole", () => {
    expect(spreadShareMs("a", 0)).toBe(0);
    const shares = Array.from({ length: 200 }, (_, at) => spreadShareMs(`recurrence ${at}`, 1_000));
    expect(shares.every((ms) => ms >= 0 && ms < 1_000)).toBe(true);
    expect(new Set(shares.map((ms) => Math.floor(ms / 100))).size).toBe(10);
    expect(spreadShareMs("recurrence 7", 1_000)).toBe(shares[7]);
  });
});
