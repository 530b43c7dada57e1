import { expect, it } from "vitest";
import { attemptsAhead } from "#domain/attempts-ahead.ts";

const POLICY = { retryAttempts: 4, retryBackoffMs: 30_000, retryStrategy: "exponential" } as const;

it.each([
  ["waits for its first attempt", { status: "scheduled", attempts: 0, failures: 0 }, 5, 30 + 60 + 120 + 240],
  ["waits for a retry", { status: "failed", attempts: 2, failures: 2 }, 5, 120 + 240],
  ["waits for a repeat of an interrupted attempt", { status: "failed", attempts: 3, failures: 2 }, 6, 120 + 240],
  ["waits for its last attempt", { status: "failed", attempts: 4, failures: 4 }, 5, 0],
  ["is due for longer than the policy allows now", { status: "failed", attempts: 7, failures: 7 }, 8, 0],
] as const)(
  "a schedule that %s has at most that many attempts, the last no earlier than that",
  (_, schedule, total, waitS) => {
    expect(attemptsAhead({ ...schedule, nextAttemptAtMs: 1_000 }, POLICY)).toEqual({
      total,
      lastAtMs: 1_000 + waitS * 1_000,
    });
  },
);

it("a running attempt counts as made", () => {
  const schedule = { status: "firing", attempts: 3, failures: 2, nextAttemptAtMs: null } as const;
  expect(attemptsAhead(schedule, POLICY)).toEqual({ total: 5, lastAtMs: null });
});

it("no attempt is ahead of a schedule that has ended", () => {
  const schedule = { status: "dead", attempts: 5, failures: 5, nextAttemptAtMs: null } as const;
  expect(attemptsAhead(schedule, POLICY)).toEqual({ total: null, lastAtMs: null });
});
