import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RetryPolicy } from "#domain/retry.ts";
import { type AttemptToSettle, type DeliveryOutcome, settleAttempt } from "#domain/settle-attempt.ts";

const NOW_MS = 1_767_225_600_000;
const DEADLINE_MS = NOW_MS + 35_000;
const CLOSED = { status: "dead", nextAttemptAtMs: null } as const;

const settle = (outcome: DeliveryOutcome, changed: Partial<AttemptToSettle> = {}) =>
  settleAttempt({
    outcome,
    failures: 0,
    interruptions: 0,
    retryPolicy: { retryAttempts: 4, retryBackoffMs: 30_000, retryStrategy: "exponential" },
    finishedAtMs: NOW_MS,
    random: () => 0,
    claimDeadlineMs: DEADLINE_MS,
    ...changed,
  });

const rejected = (statusCode: number, ...retryAfter: string[]): DeliveryOutcome => ({
  kind: "rejected",
  statusCode,
  retryAfter,
});
const unreachable: DeliveryOutcome = { kind: "unreachable", error: "connection refused" };
const interrupted: DeliveryOutcome = { kind: "interrupted" };

const anyOutcome = fc.oneof(
  fc.integer({ min: 200, max: 299 }).map((statusCode): DeliveryOutcome => ({ kind: "delivered", statusCode })),
  fc.integer({ min: 300, max: 599 }).map((statusCode) => rejected(statusCode)),
  fc.constantFrom<DeliveryOutcome>(unreachable, { kind: "blocked", error: "blocked by policy" }, interrupted),
);
const anyAttempt = fc.record({
  outcome: anyOutcome,
  failures: fc.nat(12),
  interruptions: fc.nat(2),
  retryPolicy: fc.record({
    retryAttempts: fc.nat(9),
    retryBackoffMs: fc.integer({ min: 1_000, max: 3_600_000 }),
    retryStrategy: fc.constantFrom("exponential" as const, "linear" as const, "fixed" as const),
  }),
  finishedAtMs: fc.constant(NOW_MS),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map((drawn) => () => drawn),
  claimDeadlineMs: fc.integer({ min: NOW_MS - 100_000, max: NOW_MS + 35_000 }),
});

describe("settleAttempt", () => {
  test("makes a schedule succeeded on 2xx, also after failures and interruptions", () => {
    expect(settle({ kind: "delivered", statusCode: 204 }, { failures: 3, interruptions: 2 })).toEqual({
      status: "succeeded",
      nextAttemptAtMs: null,
      failures: 3,
      interruptions: 0,
      endReason: null,
    });
  });

  test.each([301, 304, 400, 404, 429, 500, 503])("schedules a retry after status %d", (statusCode) => {
    expect(settle(rejected(statusCode))).toEqual({
      status: "failed",
      nextAttemptAtMs: NOW_MS + 30_000,
      failures: 1,
      interruptions: 0,
      endReason: null,
    });
  });

  test("schedules a retry when there is no answer", () => {
    expect(settle(unreachable)).toMatchObject({ status: "failed", nextAttemptAtMs: NOW_MS + 30_000, failures: 1 });
  });

  test("makes a schedule dead at once on 410 Gone or a blocked target, however many retries are left", () => {
    expect(settle(rejected(410, "60"))).toEqual({ ...CLOSED, failures: 1, interruptions: 0, endReason: "status" });
    expect(settle({ kind: "blocked", error: "blocked by policy" })).toEqual({
      ...CLOSED,
      failures: 1,
      interruptions: 0,
      endReason: "blocked",
    });
  });

  test("gives retry n the wait of its number, and makes the schedule dead after the last retry", () => {
    const waits = [0, 1, 2, 3].map((failures) => (settle(unreachable, { failures }).nextAttemptAtMs ?? 0) - NOW_MS);
    expect(waits).toEqual([30_000, 60_000, 120_000, 240_000]);
    expect(settle(unreachable, { failures: 4 })).toEqual({
      ...CLOSED,
      failures: 5,
      interruptions: 0,
      endReason: "attempts",
    });
  });

  test("makes a schedule without retries dead at its first failure", () => {
    const retryPolicy = { retryAttempts: 0, retryBackoffMs: 30_000, retryStrategy: "fixed" } as const;
    expect(settle(rejected(500), { retryPolicy })).toMatchObject(CLOSED);
    expect(settle(interrupted, { retryPolicy })).toMatchObject({ status: "failed" });
  });

  test("applies a retry limit that was lowered while the schedule waited", () => {
    const retryPolicy = { retryAttempts: 1, retryBackoffMs: 30_000, retryStrategy: "fixed" } as const;
    expect(settle(unreachable, { failures: 3, retryPolicy })).toMatchObject(CLOSED);
  });

  test("honours Retry-After on 429 and 503 and on no other status", () => {
    expect(settle(rejected(429, "90")).nextAttemptAtMs).toBe(NOW_MS + 90_000);
    expect(settle(rejected(503, "90")).nextAttemptAtMs).toBe(NOW_MS + 90_000);
    expect(settle(rejected(500, "90")).nextAttemptAtMs).toBe(NOW_MS + 30_000);
  });

  test("uses no retry for an interrupted attempt and repeats it once its own lease has ended", () => {
    expect(settle(interrupted, { failures: 4, interruptions: 1 })).toEqual({
      status: "failed",
      nextAttemptAtMs: DEADLINE_MS,
      failures: 4,
      interruptions: 2,
      endReason: null,
    });
  });

  test("makes a schedule dead after three interrupted attempts in a row", () => {
    expect(settle(interrupted, { interruptions: 2 })).toEqual({
      ...CLOSED,
      failures: 0,
      interruptions: 3,
      endReason: "interrupted",
    });
  });

  test("starts counting interruptions anew after any known outcome", () => {
    expect(settle(unreachable, { interruptions: 2 }).interruptions).toBe(0);
  });

  describe("of a schedule with options of its own", () => {
    const retryPolicy: RetryPolicy = {
      ...{ retryAttempts: 3, retryBackoffMs: 30_000, retryStrategy: "exponential" },
      retryDelaysMs: [5_000, 1_000, 604_800_000],
    };

    test("waits exactly its own delays, whatever the jitter, and then is dead", () => {
      const waits = [0, 1, 2].map(
        (failures) => (settle(unreachable, { failures, retryPolicy, random: () => 0.9 }).nextAttemptAtMs ?? 0) - NOW_MS,
      );
      expect(waits).toEqual([5_000, 1_000, 604_800_000]);
      expect(settle(unreachable, { failures: 3, retryPolicy }).endReason).toBe("attempts");
    });

    test("waits longer where Retry-After asks for it, at most two hours more", () => {
      expect(settle(rejected(503, "60"), { retryPolicy }).nextAttemptAtMs).toBe(NOW_MS + 60_000);
      expect(settle(rejected(503, "86400"), { retryPolicy }).nextAttemptAtMs).toBe(NOW_MS + 5_000 + 7_200_000);
    });

    test("is dead at once on a status of its list, and on 410 only while that is in it", () => {
      const giveUpStatuses = [422, "400-404"];
      for (const code of [400, 402, 404, 422])
        expect(settle(rejected(code), { giveUpStatuses })).toMatchObject({ ...CLOSED, endReason: "status" });
      for (const code of [399, 405, 410, 500])
        expect(settle(rejected(code), { giveUpStatuses })).toMatchObject({ status: "failed" });
      expect(settle(rejected(410), { giveUpStatuses: [] })).toMatchObject({ status: "failed" });
    });

    test("is dead at once when its next attempt would begin after it has expired", () => {
      expect(settle(rejected(500), { expiresAtMs: NOW_MS + 29_999 })).toMatchObject({
        ...CLOSED,
        endReason: "expired",
      });
      expect(settle(rejected(500), { expiresAtMs: NOW_MS + 30_000 })).toMatchObject({ status: "failed" });
      expect(settle(rejected(503, "90"), { expiresAtMs: NOW_MS + 60_000 }).endReason).toBe("expired");
      expect(settle(interrupted, { expiresAtMs: DEADLINE_MS - 1 }).endReason).toBe("expired");
      expect(settle(interrupted, { expiresAtMs: DEADLINE_MS })).toMatchObject({ status: "failed" });
    });

    test("says that its attempts are used up, if both are so", () => {
      expect(settle(rejected(500), { failures: 4, expiresAtMs: NOW_MS }).endReason).toBe("attempts");
      expect(settle(interrupted, { interruptions: 2, expiresAtMs: NOW_MS }).endReason).toBe("interrupted");
    });
  });

  test("says why a schedule is dead, and says nothing while it is not", () => {
    fc.assert(
      fc.property(anyAttempt, fc.option(fc.integer({ min: NOW_MS, max: NOW_MS + 100_000 })), (attempt, expiresAtMs) => {
        const { status, endReason } = settleAttempt({ ...attempt, expiresAtMs: expiresAtMs ?? undefined });
        expect(endReason !== null).toBe(status === "dead");
      }),
    );
  });

  test("sets a next attempt only for a failed schedule, never before now and never before a lease ends", () => {
    fc.assert(
      fc.property(anyAttempt, (attempt) => {
        const { status, nextAttemptAtMs } = settleAttempt(attempt);
        expect(nextAttemptAtMs !== null).toBe(status === "failed");
        if (nextAttemptAtMs === null) return;
        if (attempt.outcome.kind === "interrupted") expect(nextAttemptAtMs).toBe(attempt.claimDeadlineMs);
        else expect(nextAttemptAtMs).toBeGreaterThanOrEqual(NOW_MS + 1_000);
      }),
    );
  });

  test("makes one attempt and exactly the set number of retries at a target that always fails, besides interruptions", () => {
    fc.assert(
      fc.property(fc.nat(9), fc.array(fc.boolean(), { maxLength: 40 }), (retryAttempts, lost) => {
        const retryPolicy = { retryAttempts, retryBackoffMs: 1_000, retryStrategy: "fixed" } as const;
        let state: Pick<AttemptToSettle, "failures" | "interruptions"> = { failures: 0, interruptions: 0 };
        for (let attempt = 0; ; attempt++) {
          const isLost = (lost[attempt] ?? false) && state.interruptions < 2;
          const settled = settle(isLost ? interrupted : rejected(500), { ...state, retryPolicy });
          if (settled.status === "dead") {
            expect(settled.failures).toBe(retryAttempts + 1);
            return;
          }
          state = settled;
        }
      }),
    );
  });
});
