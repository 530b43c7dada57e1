import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextRetryAtMs } from "#domain/retry.ts";
import { splitWait } from "#domain/split-wait.ts";

const SETTINGS = { retryBackoffMs: 30_000, retryStrategy: "exponential" } as const;
const split = (waitMs: number, failures = 2) =>
  splitWait({ failedAtMs: 1_000, nextAttemptAtMs: 1_000 + waitMs, failures }, SETTINGS);

describe("the wait before a retry", () => {
  it("is what the settings ask for, and the jitter that was added", () => {
    expect(split(73_000)).toEqual({ plannedMs: 60_000, jitterMs: 13_000 });
    expect(split(60_000)).toEqual({ plannedMs: 60_000, jitterMs: 0 });
    expect(split(75_200)).toEqual({ plannedMs: 60_000, jitterMs: 15_000 });
  });

  it("is not split when the settings do not lead to it: they were changed, it was moved, or the target asked for more", () => {
    for (const waitMs of [-5, 59_000, 76_000, 7_200_000]) expect(split(waitMs)).toBeNull();
    expect(split(60_000, 0)).toBeNull();
  });

  it("is split for every retry that the dispatcher plans, whatever the settings are", () => {
    const settings = fc.record({
      retryBackoffMs: fc.integer({ min: 1_000, max: 3_600_000 }),
      retryStrategy: fc.constantFrom("exponential", "linear", "fixed"),
    });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(settings, fc.integer({ min: 1, max: 9 }), random, (policy, failures, part) => {
        const { retryBackoffMs: baseMs, retryStrategy: strategy } = policy;
        const nowMs = 1_800_000_000_000;
        const retry = { strategy, baseMs, n: failures, random: () => part } as const;
        const nextAttemptAtMs = nextRetryAtMs({ ...retry, nowMs, statusCode: 503 });
        const found = splitWait({ failedAtMs: nowMs, nextAttemptAtMs, failures }, policy as typeof SETTINGS);
        expect(found && found.plannedMs + found.jitterMs).toBeCloseTo(nextAttemptAtMs - nowMs, 0);
      }),
    );
  });
});
