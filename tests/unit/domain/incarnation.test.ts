import { describe, expect, it } from "vitest";
import {
  describeHold,
  endsHold,
  HEARTBEAT_OLD_MS,
  type Incarnation,
  judgeDatabase,
  type Standing,
} from "#domain/incarnation.ts";

const NOW_MS = Date.UTC(2026, 10, 26, 12);
const BEAT_MS = NOW_MS - 3_600_000;
const first = { systemIdentifier: "7000", timeline: 1, databaseOid: 16384, tableOid: 16500 };
const second = { ...first, timeline: 2 };
const copy = { ...first, systemIdentifier: "8000" };
const createdAnew = { ...first, databaseOid: 16999 };
const untold = { systemIdentifier: null, timeline: null, databaseOid: null, tableOid: null };
const formerRelease = { ...first, databaseOid: null, tableOid: null };

const beat = (incarnation: Incarnation, atMs = BEAT_MS, isCopied = false) => ({ ...incarnation, atMs, isCopied });
const standing = (overrides: Partial<Standing>): Standing => ({
  current: first,
  wasStandby: false,
  nowMs: NOW_MS,
  newest: beat(first),
  ownAtMs: null,
  choice: null,
  ...overrides,
});
const young = NOW_MS - 2_000;

describe("a dispatcher that has just started", () => {
  it.each([
    ["the same database, after a crash of any length", {}, "continues"],
    ["a new database", { newest: null }, "continues"],
    ["a higher timeline", { current: second }, "restored"],
    ["another system", { current: copy }, "restored"],
    ["a higher timeline, however young the heartbeat", { current: second, newest: beat(first, young) }, "restored"],
    ["another system, however young the heartbeat", { current: copy, newest: beat(first, young) }, "restored"],
    ["another database of the server", { current: createdAnew, newest: beat(first, young) }, "restored"],
    [
      "tables that were created anew",
      { current: { ...first, tableOid: 17000 }, newest: beat(first, young) },
      "restored",
    ],
    ["a heartbeat whose row was copied", { newest: beat(first, young, true) }, "restored"],
    [
      "a copy that an operator chose",
      { newest: beat(first, BEAT_MS, true), choice: { ...first, atMs: young } },
      "continues",
    ],
    [
      "a promoted standby, with a heartbeat of two minutes ago",
      { current: second, wasStandby: true, newest: beat(first, NOW_MS - HEARTBEAT_OLD_MS) },
      "continues",
    ],
    ["a promoted standby that was left behind", { current: second, wasStandby: true }, "restored"],
    [
      "a promoted standby, with rows of another database",
      { current: second, wasStandby: true, newest: beat(createdAnew, young) },
      "restored",
    ],
    [
      "a heartbeat of an older version, which stored no incarnation",
      { current: second, newest: beat(untold) },
      "continues",
    ],
    ["a heartbeat of the previous release, which stored no oids", { newest: beat(formerRelease) }, "continues"],
    ["a server that tells neither", { current: untold }, "continues"],
    ["a server that tells the timeline alone", { current: { ...untold, timeline: 2 } }, "restored"],
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
  const known = { ...first, atMs: BEAT_MS, formerAtMs: BEAT_MS - 2_000 };

  it.each([
    ["its own last heartbeat after a failover of an hour", { current: second, ownAtMs: BEAT_MS }, "continues"],
    ["a heartbeat whose acknowledgement was lost", { ownAtMs: BEAT_MS + 1 }, "continues"],
    ["its own last heartbeat in a complete copy", { current: copy, ownAtMs: BEAT_MS }, "continues"],
    ["an earlier heartbeat of its own, on a higher timeline", { current: second, ownAtMs: BEAT_MS - 1 }, "lost"],
    ["no heartbeat of its own, on another system", { current: copy, newest: beat(copy) }, "lost"],
    ["no heartbeat at all", { newest: null }, "lost"],
    ["that a crash took its last heartbeat", { ownAtMs: BEAT_MS - 2_000 }, "continues"],
    ["that its last two heartbeats are gone", { ownAtMs: BEAT_MS - 4_000 }, "lost"],
    ["that its heartbeats of an hour are gone", { ownAtMs: BEAT_MS - 3_600_000 }, "lost"],
    [
      "that a failover took its heartbeats of some seconds",
      { current: second, wasStandby: true, ownAtMs: BEAT_MS - 8_000, newest: beat(first, BEAT_MS - 8_000) },
      "continues",
    ],
    [
      "that a standby lacks its heartbeats of a minute",
      { current: second, wasStandby: true, ownAtMs: BEAT_MS - 60_000 },
      "lost",
    ],
    [
      "that its last heartbeats are gone, and one of another dispatcher is fresh",
      { current: second, ownAtMs: BEAT_MS - 4_000, newest: beat(second, young) },
      "lost",
    ],
    [
      "that its heartbeats were deleted while it was away for a week",
      { newest: beat(first, BEAT_MS + 7 * 86_400_000), nowMs: BEAT_MS + 7 * 86_400_000 },
      "continues",
    ],
    [
      "its own last heartbeat in a restored database, where others went on longer",
      { current: createdAnew, ownAtMs: BEAT_MS, newest: beat(first, BEAT_MS + 60_000, true) },
      "restored",
    ],
    [
      "its own last heartbeat, and that others went on longer",
      { ownAtMs: BEAT_MS, newest: beat(first, BEAT_MS + 60_000) },
      "continues",
    ],
  ])("finds %s", (_what, overrides, verdict) => {
    expect(judgeDatabase(known, standing(overrides))).toBe(verdict);
  });

  it("finds its heartbeat when the clock of the database was set back before it", () => {
    expect(judgeDatabase({ ...known, formerAtMs: BEAT_MS + 60_000 }, standing({ ownAtMs: BEAT_MS }))).toBe("continues");
  });

  it.each([
    ["its own last heartbeat is there", { ownAtMs: BEAT_MS }, BEAT_MS + 1_000, true],
    ["it is not", { ownAtMs: BEAT_MS - 1 }, BEAT_MS, false],
    ["another one knows of much later ones", { ownAtMs: BEAT_MS }, BEAT_MS + 60_000, false],
    ["much later ones are there", { ownAtMs: BEAT_MS, newest: beat(first, BEAT_MS + 60_000) }, BEAT_MS, false],
  ])("ends a hold only if nothing was lost: %s", (_what, overrides, newestAtMs, ends) => {
    expect(endsHold(known, standing(overrides), newestAtMs)).toBe(ends);
  });

  it("stops on a lower timeline, even if its own heartbeat is there and another one is fresh", () => {
    expect(judgeDatabase({ ...known, ...second }, standing({ ownAtMs: BEAT_MS, newest: beat(first, NOW_MS) }))).toBe(
      "older_timeline",
    );
  });

  it("compares no timelines of different systems", () => {
    expect(judgeDatabase({ ...known, ...second }, standing({ current: copy, ownAtMs: BEAT_MS }))).toBe("continues");
  });

  it("forgets what it has seen when an operator chose this database since", () => {
    const choice = { ...first, atMs: NOW_MS - 1 };
    expect(judgeDatabase({ ...known, ...second }, standing({ choice }))).toBe("continues");
    expect(judgeDatabase({ ...known, ...second, atMs: NOW_MS }, standing({ choice }))).toBe("older_timeline");
  });
});

it("a hold says in one sentence what was found, and what to do", () => {
  expect(describeHold({ reason: "restored", newestBeatAtMs: BEAT_MS })).toBe(
    'Nothing is sent: this database may be a restored one or a copy of one (its newest heartbeat, of 2026-11-26T11:00:00.000Z, is from another one or was lost), and what is pending may have been sent already. Run "npm run reconcile" and choose.',
  );
});
