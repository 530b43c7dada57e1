import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newGroup, type Turn } from "#dispatcher/runtime/turn-group.ts";
import { TurnsByInstant } from "#dispatcher/runtime/turns-by-instant.ts";

const ON_TIME_MS = 30;
const RECENTLY_LATE_MS = 5_000;

type Step = { waitMs: number; dueInMs: number; outdates: number; every: number; untilMs: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    waitMs: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 20 }) }, fc.integer({ min: 0, max: 3_000 })),
    dueInMs: fc.oneof(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -6_000, max: 1_000 })),
    outdates: fc.integer({ min: 0, max: 10 }),
    every: fc.integer({ min: 1, max: 5 }),
    untilMs: fc.integer({ min: 0, max: 500 }),
  }),
  { maxLength: 300 },
);

let turns = 0;
function newTurn(dueMs: number): Turn<string> {
  const group = newGroup<string>(String(turns), () => false);
  const turn = { group, tagMs: dueMs, dueMs, n: turns++ };
  group.turn = turn;
  return turn;
}

const isEarlier = (a: Turn<string>, b: Turn<string>) => a.dueMs - b.dueMs || a.n - b.n;
const isLater = (a: Turn<string>, b: Turn<string>) => b.dueMs - a.dueMs || a.n - b.n;

describe("turns by their instants", () => {
  it("are found by their lateness, those of one instant in the order in which they were added, and outdated ones never", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const byInstant = new TurnsByInstant<string>();
        let expected: Turn<string>[] = [];
        let nowMs = 1_000_000;
        for (const { waitMs, dueInMs, outdates, every, untilMs } of all) {
          nowMs += waitMs;
          const added = newTurn(nowMs + dueInMs);
          byInstant.push(added, nowMs, expected.length + 1);
          expected.push(added);
          const outdated = expected[outdates];
          if (outdated) outdated.group.turn = null;
          expected = expected.filter((turn) => turn.group.turn === turn);

          const accepts = ({ n }: Turn<string>) => n % every === 0;
          const accepted = expected.filter(accepts);
          const onTime = accepted.filter(({ dueMs }) => dueMs >= nowMs - ON_TIME_MS && dueMs <= nowMs + untilMs);
          const late = accepted.filter(({ dueMs }) => dueMs < nowMs - ON_TIME_MS && dueMs >= nowMs - RECENTLY_LATE_MS);
          expect(byInstant.earliest(nowMs, nowMs + untilMs, accepts)).toBe(onTime.toSorted(isEarlier)[0]);
          expect(byInstant.leastLate(nowMs, accepts)).toBe(late.toSorted(isLater)[0]);
          expect(byInstant.mostLate(nowMs, accepts)).toBe(late.toSorted(isEarlier)[0]);
          if (outdates === 0) byInstant.prune();
        }
      }),
    );
  });

  it("are kept while they count; outdated ones are dropped gradually, so that their number is bounded", () => {
    const byInstant = new TurnsByInstant<string>();
    const asked: Turn<string>[] = [];
    for (let n = 0; n < 10_000; n++) {
      const turn = newTurn(1_000 + (n % 500));
      byInstant.push(turn, 1_000, 1);
      if (n > 0) turn.group.turn = null;
    }
    expect(byInstant.size).toBeLessThanOrEqual(1_024);
    const refuses = (turn: Turn<string>) => {
      asked.push(turn);
      return false;
    };
    expect(byInstant.earliest(1_000, 2_000, refuses)).toBeUndefined();
    expect(asked.map(({ dueMs }) => dueMs)).toEqual([1_000]);
    expect(byInstant.size).toBe(1);
  });
});
