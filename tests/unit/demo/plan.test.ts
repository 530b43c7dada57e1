import { describe, expect, test } from "vitest";
import { COUNT_MIN, type DemoPlan, type PlannedSchedule, planDemo, SECONDS_MIN } from "#scripts/demo/plan.ts";

const START_MS = Date.UTC(2026, 0, 1);

function plan({ count = 200, seconds = 10, seed = 1, slowness = 1 } = {}) {
  return planDemo({ count, seconds, seed, slowness, startMs: START_MS, receiverPort: 8443 });
}

describe.each([
  { count: 200, seconds: 10 },
  { count: COUNT_MIN, seconds: SECONDS_MIN },
])("a plan of $count schedules in $seconds seconds", (size) => {
  const seeds = Array.from({ length: 50 }, (_, seed) => plan({ ...size, seed }));

  test("has all methods, each kind of change, one flaky target, and as many schedules as asked for", () => {
    for (const { schedules } of seeds) {
      expect(schedules).toHaveLength(size.count);
      expect(new Set(schedules.map(({ request }) => request.method))).toEqual(
        new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]),
      );
      expect(schedules.filter(({ answers }) => answers.join() === "500,500,200")).toHaveLength(1);
      for (const kind of ["cancel", "reschedule"])
        expect(schedules.some(({ change }) => change?.kind === kind)).toBe(true);
      expect(schedules.some(({ isRepeated, request }) => isRepeated && request.idempotencyKey)).toBe(true);
    }
  });

  test("leaves at least a second between a change and both the instant before and the instant after it", () => {
    for (const { schedules, lastFireAtMs } of seeds) {
      for (const { change, fireAtMs } of schedules) {
        expect(fireAtMs).toBeLessThanOrEqual(lastFireAtMs);
        if (!change) continue;
        expect(fireAtMs - change.atMs).toBeGreaterThan(1_000);
        expect(change.atMs).toBeGreaterThan(START_MS);
        if (change.kind === "reschedule") {
          expect(change.fireAtMs - change.atMs).toBeGreaterThan(1_000);
          expect(change.fireAtMs).toBeLessThanOrEqual(lastFireAtMs);
        }
      }
    }
  });

  test("gives every schedule a path of its own, and every one with an idempotency key its own key", () => {
    for (const { schedules } of seeds) {
      expect(new Set(schedules.map(({ request }) => request.targetUrl)).size).toBe(size.count);
      const keys = schedules.flatMap(({ request }) => request.idempotencyKey ?? []);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });
});

test("the same seed gives the same plan, and another seed another plan", () => {
  expect(plan({ seed: 7 })).toEqual(plan({ seed: 7 }));
  expect(plan({ seed: 7 })).not.toEqual(plan({ seed: 8 }));
});

test("a plan that is three times as slow is the same one: each instant is three times as far from the start", () => {
  const [fast, slow] = [plan(), plan({ slowness: 3 })];
  const later = (ms: number) => START_MS + (ms - START_MS) * 3;
  expect(slow.lastFireAtMs).toBe(later(fast.lastFireAtMs));
  for (const [index, { fireAtMs, change, request, answers }] of slow.schedules.entries()) {
    const former = fast.schedules[index] as PlannedSchedule;
    expect({ fireAtMs, answers, payload: request.payload }).toEqual({
      fireAtMs: later(former.fireAtMs),
      answers: former.answers,
      payload: former.request.payload,
    });
    expect(Date.parse(request.fireAt)).toBe(fireAtMs);
    expect(change).toEqual(
      former.change && {
        ...former.change,
        atMs: later(former.change.atMs),
        ...(former.change.kind === "reschedule" && { fireAtMs: later(former.change.fireAtMs) }),
      },
    );
  }
});

test("a slower plan has idempotency keys and a failing target of its own, so that both can be carried out one after the other", () => {
  const ownOf = ({ schedules }: DemoPlan) => {
    const flaky = schedules.filter(({ answers }) => answers.length > 1).map(({ request }) => request.targetUrl);
    return [...schedules.flatMap(({ request }) => request.idempotencyKey ?? []), ...flaky];
  };
  const [fast, slow] = [ownOf(plan()), ownOf(plan({ slowness: 3 }))];
  expect(slow).toHaveLength(fast.length);
  expect(slow.filter((one) => fast.includes(one))).toEqual([]);
});

test("a full plan has payloads with text, JSON, Unicode, NUL and some kilobytes, and schedules without a payload", () => {
  const payloads = plan().schedules.map(({ request }) => request.payload);
  expect(payloads).toContain(undefined);
  expect(payloads).toContain("");
  expect(payloads.some((payload) => payload?.startsWith("{"))).toBe(true);
  expect(payloads.some((payload) => payload?.includes("\0"))).toBe(true);
  expect(payloads.some((payload) => payload?.includes("漢字"))).toBe(true);
  expect(payloads.some((payload) => Buffer.byteLength(payload ?? "") > 2_000)).toBe(true);
});
