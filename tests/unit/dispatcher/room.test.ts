import { describe, expect, it } from "vitest";
import type { OwnedConnection } from "#dispatcher/connections/accounts.ts";
import { createOrigin, type Origin } from "#dispatcher/connections/origin.ts";
import { isTimely, isUrgent, lateMax, roomFor, takeIf } from "#dispatcher/connections/room.ts";
import { WaitingQueue } from "#dispatcher/connections/waiting-queue.ts";
import { newDelivery } from "#dispatcher/delivery/delivery.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

const NOW_MS = 100_000;
const clock = { now: () => NOW_MS, monotonic: () => NOW_MS };
const always = () => true;

const waiting = (accountId: string, dueAtMs: number) =>
  newDelivery(dueSchedule({ accountId, dueAtMs, bytes: 100 }), 0, "awaiting connection");

/** An origin with 64 free connections that answers within a tenth of a millisecond. */
function quickOrigin() {
  const origin = createOrigin("https://a.example");
  origin.latencyMs = 0.1;
  origin.unused.push(...Array.from({ length: 64 }, () => ({}) as OwnedConnection));
  return origin;
}

/** The same, and a claimed delivery waits for one of its connections. */
function busyOrigin() {
  const origin = quickOrigin();
  origin.ready.push(newDelivery(dueSchedule({ bytes: 100 }), 0, "ready"));
  return origin;
}

/** Makes a burst: 17 deliveries of other accounts that are due at the origin at `dueAtMs`. */
function crowdAt(origin: Origin, dueAtMs: number): void {
  for (let n = 0; n < 17; n++) origin.forecast.add(waiting(`crowd ${n}`, dueAtMs), 1);
}

describe("deliveries that are admitted to their claim", () => {
  it("are so few that the process sends them long before they would be released, however fast the origin answers", () => {
    const origin = busyOrigin();
    expect(roomFor(origin, 0, NOW_MS)).toBe(64 + 1_024);
    const justDue = { sendAtMs: NOW_MS - 100 };
    crowdAt(origin, justDue.sendAtMs);
    expect(isUrgent(origin, justDue, roomFor(origin, 2_100, NOW_MS), clock)).toBe(true);
    expect(isUrgent(origin, justDue, roomFor(origin, 2_200, NOW_MS), clock)).toBe(false);
    origin.pacePerMs = 8;
    expect(roomFor(origin, 0, NOW_MS)).toBe(64 + 2_000);
  });

  it("are more while no claimed delivery waits for a connection, as before a burst", () => {
    expect(roomFor(quickOrigin(), 0, NOW_MS)).toBe(64 + 4_096);
  });

  it("include deliveries outside a burst even when the burst has used more than the capacity", () => {
    const origin = busyOrigin();
    const room = roomFor(origin, 2_200, NOW_MS);
    const times = [NOW_MS - 100, NOW_MS];
    for (const sendAtMs of times) expect(isUrgent(origin, { sendAtMs }, room, clock)).toBe(true);
    for (const sendAtMs of times)
      expect(isUrgent(origin, { sendAtMs }, roomFor(origin, 5_500, NOW_MS), clock)).toBe(false);
    for (const sendAtMs of times) crowdAt(origin, sendAtMs);
    for (const sendAtMs of times) expect(isUrgent(origin, { sendAtMs }, room, clock)).toBe(false);
  });

  it("include none of a burst before it is due, even when one due later was admitted", () => {
    const origin = busyOrigin();
    const full = roomFor(origin, 1_500, NOW_MS);
    origin.frontierMs = NOW_MS + 300;
    expect(isUrgent(origin, { sendAtMs: NOW_MS + 200 }, full, clock)).toBe(true);
    crowdAt(origin, NOW_MS + 200);
    expect(isUrgent(origin, { sendAtMs: NOW_MS + 200 }, full, clock)).toBe(false);
  });

  it("include one that is not due yet, ahead by the preparation time, unless it is part of a burst", () => {
    const origin = busyOrigin();
    const full = roomFor(origin, 2_500, NOW_MS);
    const soon = waiting("soon", NOW_MS + 200);
    expect(isUrgent(origin, soon, full, clock)).toBe(false);
    origin.preparation.note(100, NOW_MS);
    expect(isUrgent(origin, soon, full, clock)).toBe(false);
    origin.preparation.note(180, NOW_MS);
    expect(isUrgent(origin, soon, full, clock)).toBe(true);
    crowdAt(origin, NOW_MS + 200);
    expect(isUrgent(origin, soon, full, clock)).toBe(false);
  });

  it("include a delayed one that was due just before a burst of 1,000 within the first four turns", () => {
    const queue = new WaitingQueue();
    for (let n = 0; n < 1_000; n++) queue.push(waiting(`crowd ${n}`, NOW_MS - 1_000));
    queue.push(waiting("other", NOW_MS - 1_030));
    const isRecent = (delivery: { sendAtMs: number }) => isTimely(delivery, NOW_MS);
    const first = Array.from({ length: 4 }, () => takeIf(queue, NOW_MS, always, isRecent)?.accountId);
    expect(first).toContain("other");
  });

  it("include none that has to wait for capacity, even when it is its turn", () => {
    const queue = new WaitingQueue();
    for (let n = 0; n < 12; n++) queue.push(waiting(`due ${n}`, NOW_MS - 100));
    queue.push(waiting("not due yet", NOW_MS + 10));
    const isDue = (delivery: { sendAtMs: number }) => delivery.sendAtMs <= NOW_MS;
    const taken = Array.from({ length: 13 }, () => takeIf(queue, NOW_MS, always, isDue)?.accountId);
    expect(taken.slice(0, 12)).not.toContain("not due yet");
    expect(taken).toContain(undefined);
  });

  it("include one that is on time even when all that come first by their turns are late", () => {
    const queue = new WaitingQueue();
    for (let n = 0; n < 100; n++) queue.push(waiting(`backlog ${n}`, NOW_MS - 60_000));
    queue.push(waiting("on time", NOW_MS));
    const isRecent = (delivery: { sendAtMs: number }) => isTimely(delivery, NOW_MS);
    const taken = Array.from({ length: 3 }, () => takeIf(queue, NOW_MS, always, isRecent)?.accountId);
    expect(taken).toEqual(["on time", undefined, undefined]);
    expect(queue.size).toBe(100);
  });

  it("include four times as many late ones while connections idle", () => {
    const origin = quickOrigin();
    const idling = lateMax(origin, NOW_MS);
    for (const connection of origin.unused.splice(0, 40)) origin.busy.set(connection, NOW_MS);
    const busy = lateMax(origin, NOW_MS);
    expect(idling).toBe(4 * busy);
    origin.unused.push(...[...origin.busy.keys()]);
    origin.busy.clear();
    origin.ready.push({ ...waiting("claimed", NOW_MS), state: "ready" });
    expect(lateMax(origin, NOW_MS)).toBe(busy);
  });
});
