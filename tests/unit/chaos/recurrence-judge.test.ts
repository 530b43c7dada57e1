import { describe, expect, it } from "vitest";
import type { Evidence, RecurrenceCall } from "../../chaos/evidence.ts";
import { judgeRecurrences, occurrenceEntries } from "../../chaos/recurrence-judge.ts";
import { evidenceOf } from "./evidence.ts";

const MINUTE_MS = 60_000;
const NOON = Date.parse("2026-06-01T12:00:00Z");
const SHARE_MS = 5_000;

/** A call that was asked and answered `atMs` after noon. */
const call = (kind: RecurrenceCall["kind"], atMs: number, bodyHash?: string): RecurrenceCall => ({
  ...{ kind, askedAtMs: NOON + atMs - 10, answeredAtMs: NOON + atMs, unknown: 0, ...(bodyHash && { bodyHash }) },
});
const occurrence = (id: string, minute: number, createdMs: number) => ({
  ...{ scheduleId: id, recurrenceId: "r", targetUrl: "https://localhost:1/ok/1/recurrence" },
  ...{ occurrenceAtMs: NOON + minute * MINUTE_MS, createdAtMs: NOON + createdMs },
});
const claimed = (scheduleId: string, atMs: number, attempt = 1) => ({
  ...{ scheduleId, attempt, dispatcherId: "d1", claimedAtMs: NOON + atMs, deadlineMs: NOON + atMs + 35_000 },
});
const arrived = (scheduleId: string, atMs: number) => ({
  ...{ scheduleId, attempt: 1, arrivedAtMs: NOON + atMs, readableAfterMs: NOON + atMs, endedAtMs: NOON + atMs + 5 },
  ...{ statusCode: 200, bodyHash: "aa" },
});

const judge = (calls: RecurrenceCall[], rest: Partial<Evidence>) =>
  judgeRecurrences(
    evidenceOf({
      recurring: [{ id: "r", key: "rule", accountId: "a1", shareMs: SHARE_MS, calls }],
      recurrences: [{ id: "r", leftOut: [] }],
      ...rest,
    }),
  ).map(({ kind, of }) => [kind, of]);

describe("the verdict on recurrences", () => {
  it("finds nothing where each instant is made once, or is said to be left out", () => {
    const occurrences = [occurrence("one", 1, 1), occurrence("two", 2, 1)];
    const leftOut = [{ fromMs: NOON, toMs: NOON, count: 1, reason: "missed" as const }];
    const calls = [call("put", 1, "aa"), call("pause", 130_000)];
    expect(judge(calls, { occurrences, recurrences: [{ id: "r", leftOut }] })).toEqual([]);
  });

  it("finds an instant that has no occurrence and no reason, while the recurrence is active", () => {
    const calls = [call("put", 6_000, "aa"), call("pause", 70_000), call("resume", 200_000), call("pause", 260_000)];
    expect(judge(calls, { occurrences: [occurrence("one", 1, 1)] })).toEqual([["lost", "r"]]);
    const paused = [call("put", 6_000, "aa"), call("pause", 10_000), call("put", 20_000, "bb"), call("pause", 300_000)];
    expect(judge(paused, {})).toEqual([]);
  });

  it("finds an instant that was sent twice", () => {
    const occurrences = [occurrence("one", 1, 1), occurrence("again", 1, 30_000)];
    const calls = [call("put", 1_000, "aa"), call("pause", 70_000)];
    const withArrivals = (...ids: string[]) =>
      judge(calls, { occurrences, arrivals: ids.map((id) => arrived(id, 65_000)) });
    expect(withArrivals("one", "again")).toContainEqual(["duplicate", "again"]);
    expect(withArrivals("again")).not.toContainEqual(["duplicate", "again"]);
  });

  it("finds what was claimed after a pause or a PUT, and allows what was being sent then", () => {
    const occurrences = [occurrence("one", 1, 6_000)];
    const calls = [call("put", 6_000, "aa"), call("pause", 64_000)];
    expect(judge(calls, { occurrences, claims: [claimed("one", 64_500)] })).toEqual([["after-cancel", "one"]]);
    expect(judge(calls, { occurrences, claims: [claimed("one", 63_900)] })).toEqual([]);
    const retried = { occurrences, claims: [claimed("one", 63_900), claimed("one", 66_000, 2)] };
    const attempt = { scheduleId: "one", attempt: 1, outcome: "rejected", statusCode: 500, latencyMs: 5 };
    expect(judge(calls, { ...retried, attempts: [{ ...attempt, attemptedAtMs: NOON + 65_000 }] })).toEqual([]);
    const late = { ...retried, claims: [claimed("one", 6_100), claimed("one", 66_000, 2)] };
    const early = { ...attempt, attemptedAtMs: NOON + 6_200 };
    expect(judge(calls, { ...late, attempts: [early] })).toEqual([["after-cancel", "one"]]);
  });

  it("has an occurrence carry the request of the PUT in force when it was made, and of none before", () => {
    const calls = [call("put", 0, "aa"), call("put", 30_000, "bb"), call("put", 90_000, "cc"), call("pause", 200_000)];
    const recurring = [{ id: "r", key: "rule", accountId: "a1", shareMs: SHARE_MS, calls }];
    const bodies = (createdMs: number) =>
      occurrenceEntries({ recurring, schedules: [], occurrences: [occurrence("one", 1, createdMs)] }).map(
        ({ bodyHash, changes }) => [bodyHash, ...changes.map((change) => change.bodyHash)],
      );
    expect([bodies(10_000), bodies(29_995), bodies(40_000), bodies(89_000)]).toEqual([
      [["aa"]],
      [["aa", "bb"]],
      [["bb"]],
      [["bb", "cc"]],
    ]);
  });
});
