import { describe, expect, it } from "vitest";
import { isTimely, isUrgent, lateMax, roomFor, takeIf } from "#dispatcher/admission/room.ts";
import { type Waiters, WaitersByOrigin } from "#dispatcher/admission/waiters.ts";
import { WaitingQueue } from "#dispatcher/admission/waiting-queue.ts";
import type { OwnedConnection } from "#dispatcher/connections/accounts.ts";
import { Origins } from "#dispatcher/connections/origins.ts";
import { newDelivery } from "#dispatcher/delivery/delivery.ts";
import { Holdings } from "#dispatcher/delivery/holdings.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

const NOW_MS = 100_000;
const clock = { now: () => NOW_MS, monotonic: () => NOW_MS };
const always = () => true;

const waiting = (accountId: string, dueAtMs: number) =>
  newDelivery(dueSchedule({ accountId, dueAtMs, bytes: 100 }), 0, "awaiting connection");

/** Nothing waits yet for an origin with 64 free connections that answers within a tenth of a millisecond. */
function atQuickOrigin() {
  const origins = new Origins({ holdings: new Holdings(256), monotonic: clock.monotonic });
  const waiters = new WaitersByOrigin(origins).at("https://a.example");
  waiters.origin.answers.note({ latencyMs: 0.1, confirmedMs: 0.1 }, NOW_MS);
  waiters.origin.unused.push(...Array.from({ length: 64 }, () => ({}) as OwnedConnection));
  return waiters;
}

/** The same, and a claimed delivery waits for one of its connections. */
function atBusyOrigin() {
  const waiters = atQuickOrigin();
  waiters.ready.push(newDelivery(dueSchedule({ bytes: 100 }), 0, "ready"));
  return waiters;
}

/** Makes a burst: 17 deliveries of other accounts that are due at the origin at `dueAtMs`. */
function crowdAt({ forecast }: Waiters, dueAtMs: number): void {
  for (let n = 0; n < 17; n++) forecast.add(waiting(`crowd ${n}`, dueAtMs), 1);
}

describe("deliveries that are admitted to their claim", () => {
  it("are so few that the process sends them long before they would be released, however fast the origin answers", () => {
    const waiters = atBusyOrigin();
    expect(roomFor(waiters, 0, NOW_MS)).toBe(64 + 1_024);
    const justDue = { sendAtMs: NOW_MS - 100 };
    crowdAt(waiters, justDue.sendAtMs);
    expect(isUrgent(waiters, justDue, roomFor(waiters, 2_100, NOW_MS), clock)).toBe(true);
    expect(isUrgent(waiters, justDue, roomFor(waiters, 2_200, NOW_MS), clock)).toBe(false);
    const { answers } = waiters.origin;
    answers.paceAt(NOW_MS);
    for (let n = 0; n < 2_000; n++) answers.note({ latencyMs: 0.1, confirmedMs: 0.1 }, NOW_MS);
    expect(answers.paceAt(NOW_MS + 250)).toBe(8);
    expect(roomFor(waiters, 0, NOW_MS)).toBe(64 + 2_000);
  });

  it("are more while no claimed delivery waits for a connection, as before a burst", () => {
    expect(roomFor(atQuickOrigin(), 0, NOW_MS)).toBe(64 + 4_096);
  });

  it("include deliveries outside a burst even when the burst has used more than the capacity", () => {
    const waiters = atBusyOrigin();
    const room = roomFor(waiters, 2_200, NOW_MS);
    const times = [NOW_MS - 100, NOW_MS];
    for (const sendAtMs of times) expect(isUrgent(waiters, { sendAtMs }, room, clock)).toBe(true);
    for (const sendAtMs of times)
      expect(isUrgent(waiters, { sendAtMs }, roomFor(waiters, 5_500, NOW_MS), clock)).toBe(false);
    for (const sendAtMs of times) crowdAt(waiters, sendAtMs);
    for (const sendAtMs of times) expect(isUrgent(waiters, { sendAtMs }, room, clock)).toBe(false);
  });

  it("include none of a burst before it is due, even when one due later was admitted", () => {
    const waiters = atBusyOrigin();
    const full = roomFor(waiters, 1_500, NOW_MS);
    waiters.noteLetThrough(NOW_MS + 300);
    expect(isUrgent(waiters, { sendAtMs: NOW_MS + 200 }, full, clock)).toBe(true);
    crowdAt(waiters, NOW_MS + 200);
    expect(isUrgent(waiters, { sendAtMs: NOW_MS + 200 }, full, clock)).toBe(false);
  });

  it("include one that is not due yet, ahead by the preparation time, unless it is part of a burst", () => {
    const waiters = atBusyOrigin();
    const full = roomFor(waiters, 2_500, NOW_MS);
    const soon = waiting("soon", NOW_MS + 200);
    expect(isUrgent(waiters, soon, full, clock)).toBe(false);
    waiters.preparation.note(100, NOW_MS);
    expect(isUrgent(waiters, soon, full, clock)).toBe(false);
    waiters.preparation.note(180, NOW_MS);
    expect(isUrgent(waiters, soon, full, clock)).toBe(true);
    crowdAt(waiters, NOW_MS + 200);
    expect(isUrgent(waiters, soon, full, clock)).toBe(false);
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
    const waiters = atQuickOrigin();
    const { origin } = waiters;
    const idling = lateMax(waiters, NOW_MS);
    for (const connection of origin.unused.splice(0, 40)) origin.busy.set(connection, NOW_MS);
    const busy = lateMax(waiters, NOW_MS);
    expect(idling).toBe(4 * busy);
    origin.unused.push(...[...origin.busy.keys()]);
    origin.busy.clear();
    waiters.ready.push({ ...waiting("claimed", NOW_MS), state: "ready" });
    expect(lateMax(waiters, NOW_MS)).toBe(busy);
  });
});
