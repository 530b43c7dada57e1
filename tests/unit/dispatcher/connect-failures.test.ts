import { describe, expect, it } from "vitest";
import { failOverdue, pauseAfter } from "#dispatcher/admission/connect-failures.ts";
import { WaitersByOrigin } from "#dispatcher/admission/waiters.ts";
import { Origins } from "#dispatcher/connections/origins.ts";
import { outcomeOf } from "#dispatcher/delivery/connection.ts";
import { Deliveries } from "#dispatcher/delivery/deliveries.ts";
import { OWN_FAULT_WAIT_MAX_MS as MAX_MS } from "#domain/timing.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

const NOW = 10 * MAX_MS;
const failed = (forMs: number) => ({ kind: "local" as const, error: "connection: ENETUNREACH", forMs, among: 1 });

/** Deliveries that are overdue by `lateMs` and wait for a connection to one origin; the `retries` need a new one. */
function start(lateMs: number[], { retries = false, isOpen = false } = {}) {
  const deliveries = new Deliveries({ clock: { now: () => NOW } as never, connectionsPerPlace: 256 });
  const origins = new Origins({ holdings: deliveries.holdings, monotonic: () => NOW });
  const waiters = new WaitersByOrigin(origins).at("https://a.example");
  const { origin } = waiters;
  if (isOpen) origin.busy.set({} as never, 0);
  const waiting = lateMs.map((late) => {
    const due = dueSchedule({ accountId: "a", dueAtMs: NOW - late, origin: origin.key, isRetry: retries });
    const delivery = deliveries.add(due, 0);
    deliveries.move(delivery, "awaiting connection");
    waiters.queueOf(delivery).push(delivery);
    return delivery;
  });
  return {
    states(forMs: number) {
      failOverdue(deliveries, waiters, failed(forMs), NOW);
      return waiting.map(({ state }) => state);
    },
    waiting,
  };
}

const [WAITS, REFUSED] = ["awaiting connection", "refused"];

describe("deliveries that this machine cannot connect", () => {
  it("wait, however overdue they are, until it could not connect for an hour", () => {
    const { states } = start([5 * MAX_MS, MAX_MS, 0]);
    expect(states(MAX_MS - 1)).toEqual([WAITS, WAITS, WAITS]);
  });

  it("fail once they are overdue by an hour in which it could not, and the others wait on", () => {
    const { states, waiting } = start([5 * MAX_MS, MAX_MS, MAX_MS - 1, 0]);
    expect(states(MAX_MS)).toEqual([REFUSED, REFUSED, WAITS, WAITS]);
    expect(outcomeOf(waiting[0]?.failure as never)).toEqual({ kind: "unreachable", error: "connection: ENETUNREACH" });
  });

  it("fail alone when they need a new connection while the origin has others", () => {
    expect(start([2 * MAX_MS], { isOpen: true }).states(MAX_MS)).toEqual([WAITS]);
    expect(start([2 * MAX_MS], { isOpen: true, retries: true }).states(MAX_MS)).toEqual([REFUSED]);
  });

  it("fail in bounded numbers at once", () => {
    const { states } = start(Array.from({ length: 300 }, () => MAX_MS));
    expect(states(MAX_MS).filter((state) => state === REFUSED)).toHaveLength(256);
    expect(states(MAX_MS).filter((state) => state === REFUSED)).toHaveLength(300);
  });
});

it("a pause between two tries grows with the time for which they fail, from a quarter of a second to five seconds", () => {
  expect([0, 1_000, 4_000, 12_000, 60_000, MAX_MS].map((forMs) => pauseAfter(failed(forMs), 0.5))).toEqual([
    ...[250, 250, 1_000, 3_000, 5_000, 5_000],
  ]);
});

it("pauses of many origins are longer and spread, so that there are 200 tries in a second", () => {
  const many = { ...failed(0), among: 10_000 };
  expect([0, 0.5, 1].map((random) => pauseAfter(many, random))).toEqual([37_500, 50_000, 62_500]);
});
