import { describe, expect, it } from "vitest";
import { describeHold, HEARTBEAT_OLD_MS, judgeDatabase, type Standing } from "#domain/incarnation.ts";

const NOW_MS = Date.UTC(2026, 10, 26, 12);
const BEAT_MS = NOW_MS - 3_600_000;
const first = { systemIdentifier: "7000", timeline: 1 };
const second = { systemIdentifier: "7000", timeline: 2 };
const copy = { systemIdentifier: "8000", timeline: 1 };
const untold = { systemIdentifier: null, timeline: null };

const standing = (overrides: Partial<Standing>): Standing => ({
  ...{ current: first, nowMs: NOW_MS, newest: { ...first, atMs: BEAT_MS }, ownAtMs: null, choice: null },
  ...overrides,
});

describe("a dispatcher that has just started", () => {
  it.each([
    ["the same database, after a crash of any length", {}, "continues"],
    ["a new database", { newest: null }, "continues"],
    ["a higher timeline", { current: second }, "restored"],
    ["another system", { current: copy }, "restored"],
    [
      "a higher timeline, with a heartbeat of two minutes ago",
      { current: second, newest: { ...first, atMs: NOW_MS - HEARTBEAT_OLD_MS } },
      "continues",
    ],
    [
      "a heartbeat of an older version, which stored no incarnation",
      { current: second, newest: { ...untold, atMs: BEAT_MS } },
      "continues",
    ],
    ["a server that tells neither", { current: untold }, "continues"],
    ["a server that tells the timeline alone", { current: { ...second, systemIdentifier: null } }, "restored"],
    [
      "a higher timeline that an operator chose",
      { current: second, choice: { ...second, atMs: NOW_MS - 1 } },
      "continues",
    ],
    [
      "a higher timeline than that which an operator chose",
      { current: second, choice: { ...first, atMs: NOW_MS - 1 } },
      "restored",
    ],
    [
      "a choice from before the newest heartbeat",
      { current: second, choice: { ...second, atMs: BEAT_MS - 1 } },
      "restored",
    ],
  ])("finds %s", (_what, overrides, verdict) => {
    expect(judgeDatabase(null, standing(overrides))).toBe(verdict);
  });

  it.each([
    ["another primary on a higher timeline", [{ ...second, atMs: BEAT_MS }], null, "older_timeline"],
    [
      "one that an operator chose against since",
      [{ ...second, atMs: BEAT_MS }],
      { ...first, atMs: NOW_MS - 1 },
      "continues",
    ],
    [
      "one that was in use since the choice",
      [{ ...second, atMs: BEAT_MS }],
      { ...first, atMs: BEAT_MS - 1 },
      "older_timeline",
    ],
    ["another system behind its address", [{ ...copy, timeline: 5, atMs: BEAT_MS }], null, "continues"],
    ["the database itself alone", [{ ...first, atMs: BEAT_MS }], null, "continues"],
  ])("finds %s behind its address", (_what, primaries, choice, verdict) => {
    expect(judgeDatabase(null, standing({ choice }), primaries)).toBe(verdict);
  });
});

describe("a dispatcher that lives", () => {
  const known = { ...first, atMs: BEAT_MS };

  it.each([
    ["its own last heartbeat after a failover of an hour", { current: second, ownAtMs: BEAT_MS }, "continues"],
    ["a heartbeat whose acknowledgement was lost", { ownAtMs: BEAT_MS + 1 }, "continues"],
    ["an earlier heartbeat of its own, on a higher timeline", { current: second, ownAtMs: BEAT_MS - 1 }, "restored"],
    ["no heartbeat of its own, on another system", { current: copy, newest: { ...copy, atMs: BEAT_MS } }, "restored"],
    ["that a crash took its last heartbeat", { ownAtMs: BEAT_MS - 1_000 }, "continues"],
    ["that its heartbeats of an hour are gone", { ownAtMs: BEAT_MS - 3_600_000 }, "restored"],
    [
      "that its last heartbeat is gone, and one of another dispatcher is fresh",
      { current: second, newest: { ...second, atMs: NOW_MS - 2_000 } },
      "continues",
    ],
  ])("finds %s", (_what, overrides, verdict) => {
    expect(judgeDatabase(known, standing(overrides))).toBe(verdict);
  });

  it("stops on a lower timeline, even if its own heartbeat is there and another one is fresh", () => {
    const fresh = { ...first, atMs: NOW_MS };
    expect(judgeDatabase({ ...second, atMs: BEAT_MS }, standing({ ownAtMs: BEAT_MS, newest: fresh }))).toBe(
      "older_timeline",
    );
  });

  it("compares no timelines of different systems", () => {
    const fresh = { ...copy, atMs: NOW_MS };
    expect(judgeDatabase({ ...second, atMs: BEAT_MS }, standing({ current: copy, newest: fresh }))).toBe("continues");
  });

  it("forgets what it has seen when an operator chose this database since", () => {
    const choice = { ...first, atMs: NOW_MS - 1 };
    expect(judgeDatabase({ ...second, atMs: BEAT_MS }, standing({ choice }))).toBe("continues");
    expect(judgeDatabase({ ...second, atMs: NOW_MS }, standing({ choice }))).toBe("older_timeline");
  });
});

it("a hold says in one sentence what was found, and what to do", () => {
  expect(describeHold({ reason: "restored", newestBeatAtMs: BEAT_MS })).toBe(
    'Nothing is sent: this database may be a restored one (its newest heartbeat, of 2026-11-26T11:00:00.000Z, is from another one or was lost), and what is due may have been sent already. Run "npm run reconcile" and choose.',
  );
});
