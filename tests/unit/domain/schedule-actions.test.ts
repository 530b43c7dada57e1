import { describe, expect, it } from "vitest";
import { actionProblems, instantToRestore } from "#domain/schedule-actions.ts";
import { STATUSES } from "#domain/states.ts";

const NOW_MS = Date.parse("2026-03-27T14:32:07Z");

function allowed(status: (typeof STATUSES)[number], isErased = false) {
  const problems = actionProblems({ status, claimDeadlineMs: null, isErased }, NOW_MS);
  return Object.entries(problems).flatMap(([action, problem]) => (problem === null ? [action] : []));
}

describe("the possible actions on a schedule", () => {
  it("follow from its status", () => {
    expect(Object.fromEntries(STATUSES.map((status) => [status, allowed(status)]))).toEqual({
      scheduled: ["fire", "cancel", "reschedule", "replay", "clone"],
      firing: ["replay", "clone"],
      succeeded: ["replay", "clone"],
      failed: ["fire", "cancel", "replay", "clone"],
      dead: ["replay", "clone"],
      cancelled: ["replay", "clone"],
    });
  });

  it("are only a clone with a new payload once payload and headers were erased", () => {
    expect(allowed("succeeded", true)).toEqual(["clone"]);
  });

  it("include when firing and cancelling can be tried again while an attempt runs", () => {
    const schedule = { status: "firing", claimDeadlineMs: NOW_MS + 1_200, isErased: false } as const;
    const message = "An attempt is under way. Try again, at the latest in 2 s.";
    expect(actionProblems(schedule, NOW_MS)).toMatchObject({ fire: message, cancel: message });
  });
});

it("a replay can stand in for a cancelled schedule alone, and only while its time is ahead", () => {
  const now = new Date(NOW_MS);
  const ahead = new Date(NOW_MS + 1);
  expect(STATUSES.filter((status) => instantToRestore({ status, fireAt: ahead }, now) === ahead)).toEqual([
    "cancelled",
  ]);
  expect(instantToRestore({ status: "cancelled", fireAt: now }, now)).toBeNull();
});
