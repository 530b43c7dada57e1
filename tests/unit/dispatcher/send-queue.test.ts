import { describe, expect, it } from "vitest";
import { Deliveries } from "#dispatcher/delivery/deliveries.ts";
import { SendLead } from "#dispatcher/sending/send-lead.ts";
import { SendQueue } from "#dispatcher/sending/send-queue.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

const NOW_MS = 10_000;

/** The send queue of a process whose clocks both stand at 10 s. `begun` collects what it begins, in order. */
function start() {
  const clock = { now: () => NOW_MS, monotonic: () => NOW_MS } as never;
  const deliveries = new Deliveries({ clock, connectionsPerPlace: 256 });
  const begun: string[] = [];
  const queue = new SendQueue({
    deliveries,
    clock,
    lead: new SendLead(clock),
    shards: { holds: () => true },
    alarm: { at() {}, run() {} },
    preparation: { note() {} },
    readyList: { take: () => [], takeStalled: () => [] },
  });
  deliveries.connect(
    { prepared: (delivery) => queue.add(delivery), ready: ({ id }) => begun.push(id) },
    { slot() {}, connection() {}, bytes() {}, memory() {} },
  );
  return {
    queue,
    begun,
    /** Adds a prepared request of an account, due at `dueAtMs`. */
    add(id: string, accountId: string, dueAtMs: number): void {
      const delivery = deliveries.add(dueSchedule({ id, accountId, dueAtMs }), 0);
      delivery.claim = { row: {}, startedAtMs: NOW_MS, durationMs: 1 } as never;
      for (const state of ["awaiting slot", "admitted", "claiming", "claimed", "prepared"] as const)
        deliveries.move(delivery, state);
    },
  };
}

describe("a request that was begun ahead of its instant", () => {
  it("is held for a slot that is free 0.2 ms later by the other clock, but not for an instant 5 ms ahead", () => {
    let nowMs = NOW_MS;
    const clock = { now: () => nowMs, monotonic: () => (nowMs += 0.01) };
    const lead = new SendLead(clock);
    for (let n = 0; n < 1_000; n++) lead.adapt(0);
    const leaveAtMs = NOW_MS + 100;
    nowMs = lead.beginAtMs(leaveAtMs);
    expect(leaveAtMs - nowMs).toBeCloseTo(0.5);
    expect(lead.hold({ leaveAtMs, slotFromMs: leaveAtMs + 0.2 })).toBe(true);
    expect(nowMs).toBeGreaterThanOrEqual(leaveAtMs + 0.2);
    expect(lead.hold({ leaveAtMs: nowMs + 5, slotFromMs: nowMs })).toBe(false);
  });
});

describe("the send queue", () => {
  it("begins requests that are on time before requests of other lanes that are late", () => {
    const { queue, begun, add } = start();
    add("late", "a", NOW_MS - 200);
    add("on time", "b", NOW_MS - 10);
    queue.runDue();
    expect(begun).toEqual(["on time", "late"]);
  });

  it("begins the late requests of a lane before those of the same lane that are on time", () => {
    const { queue, begun, add } = start();
    add("late", "a", NOW_MS - 120);
    add("on time", "a", NOW_MS - 60);
    queue.runDue();
    expect(begun).toEqual(["late", "on time"]);
  });
});
