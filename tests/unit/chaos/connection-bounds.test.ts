import { describe, expect, it } from "vitest";
import { findOverBound } from "../../chaos/connection-bounds.ts";
import type { Evidence, SocketCount } from "../../chaos/evidence.ts";
import { verdictOf } from "../../chaos/verdict.ts";
import { arrived, BEGAN, created, evidenceOf } from "./evidence.ts";

const NONE = { well: 0, unwell: 0, shared: 0, hung: 0, busy: 0, slow: 0, many: 0 };
const sample = (atMs: number, open: Partial<SocketCount["open"]>) => ({ atMs: BEGAN + atMs, open, heldUpMs: 0 });
const ofProcess = (atMs: number, open: Partial<SocketCount["open"]>) => ({ atMs: BEGAN + atMs, pid: 11, open });
const ofReceiver = (atMs: number, hung: number): SocketCount => ({ ...sample(atMs, {}), open: { ...NONE, hung } });
const lifetime = (pid: number, untilMs = Number.POSITIVE_INFINITY) => ({ pid, slot: 0, fromMs: BEGAN, untilMs });

const details = (rest: Partial<Evidence>) => findOverBound(evidenceOf(rest)).over.map(({ detail }) => detail);

describe("the count of connections over bound", () => {
  it("fails a run in which a dispatcher has more connections than it may have", () => {
    const processSockets = [ofProcess(0, { well: 8, hung: 8 }), ofProcess(500, { well: 8, hung: 8 })];
    expect(details({ processSockets })).toEqual([]);
    const more = processSockets.map((one) => ({ ...one, open: { ...one.open, many: 1 } }));
    expect(verdictOf(evidenceOf({ processSockets: more })).violations).toEqual([
      { kind: "connections over bound", of: "process 11", detail: "17 connections in all, at most 16" },
    ]);
  });

  it("fails a run in which a dispatcher has more connections to one origin than all accounts together may have", () => {
    expect(details({ processSockets: [ofProcess(0, { hung: 9 }), ofProcess(500, { hung: 9 })] })).toEqual([
      "9 connections to hung, at most 8",
    ]);
  });

  it("ignores what only one sample shows, since it may have ended already", () => {
    expect(details({ processSockets: [ofProcess(0, { hung: 9 }), ofProcess(500, { hung: 8 })] })).toEqual([]);
  });

  it("treats many names of one port as many origins", () => {
    expect(details({ processSockets: [ofProcess(0, { many: 16 }), ofProcess(500, { many: 16 })] })).toEqual([]);
  });

  it("allows the receiver to see as many connections to an origin as the living dispatchers may have", () => {
    const socketCounts = [ofReceiver(0, 17), ofReceiver(250, 17)];
    expect(details({ socketCounts, lifetimes: [lifetime(11), lifetime(12), lifetime(13)] })).toEqual([]);
    expect(details({ socketCounts, lifetimes: [lifetime(11), lifetime(12)] })).toEqual([
      "17 connections to hung, at most 16",
    ]);
  });

  it("allows for the connections of a process that has just ended", () => {
    const socketCounts = [ofReceiver(0, 16), ofReceiver(250, 16)];
    const endedAt = (atMs: number) => ({ socketCounts, lifetimes: [lifetime(11), lifetime(12, BEGAN + atMs)] });
    expect(details(endedAt(-500))).toEqual([]);
    expect(details(endedAt(-1_500))).toEqual(["16 connections to hung, at most 8"]);
  });

  it("fails a run in which an account has more requests in flight to one origin than it may have connections", () => {
    const requests = (n: number, owner = "d1") => ({
      client: Array.from({ length: n }, (_, at) => created(`s${at}`, 60_000)),
      arrivals: Array.from({ length: n }, (_, at) => arrived(`s${at}`, 60_000 + at, 5_000)),
      claims: Array.from({ length: n }, (_, at) => ({
        scheduleId: `s${at}`,
        attempt: 1,
        dispatcherId: at === 0 ? owner : "d1",
        claimedAtMs: BEGAN + 59_900,
        deadlineMs: BEGAN + 94_900,
      })),
    });
    expect(details(requests(4))).toEqual([]);
    expect(details(requests(5))).toEqual(["5 connections of account a1 to https://localhost:1, at most 4"]);
    expect(details(requests(5, "d2"))).toEqual([]);
  });

  it("fails a run in which an account has more requests in flight to several origins than it may have connections in all", () => {
    const requests = (n: number) => ({
      client: Array.from({ length: n }, (_, at) =>
        created(`s${at}`, 60_000, { origin: `https://localhost:${at % 2}` }),
      ),
      arrivals: Array.from({ length: n }, (_, at) => arrived(`s${at}`, 60_000 + at, 5_000)),
      claims: Array.from({ length: n }, (_, at) => ({
        scheduleId: `s${at}`,
        attempt: 1,
        dispatcherId: "d1",
        claimedAtMs: BEGAN + 59_900,
        deadlineMs: BEGAN + 94_900,
      })),
    });
    expect(details(requests(6))).toEqual([]);
    expect(details(requests(7))).toEqual(["7 connections of account a1, at most 6"]);
  });

  it("does not count two requests as concurrent when one ends as the other begins", () => {
    const client = Array.from({ length: 8 }, (_, at) => created(`s${at}`, 60_000));
    const arrivals = client.map(({ id }, at) => arrived(id, 60_000 + (at < 4 ? 0 : 990), 1_000));
    const claims = client.map(({ id }) => ({
      scheduleId: id,
      attempt: 1,
      dispatcherId: "d1",
      claimedAtMs: BEGAN + 59_900,
      deadlineMs: BEGAN + 94_900,
    }));
    expect(details({ client, arrivals, claims })).toEqual([]);
  });
});
