import { describe, expect, it } from "vitest";
import { Deliveries } from "#dispatcher/delivery/deliveries.ts";
import type { Delivery } from "#dispatcher/delivery/delivery.ts";
import type { DeliveryState } from "#dispatcher/delivery/states.ts";
import { RateLanes } from "#dispatcher/rates/rate-lanes.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

const LEAD_MS = 60;

/** The rate of one account with `callsPerSecond`. Both clocks stand at 10 s. */
function start(callsPerSecond: number) {
  let now = 10_000;
  const clock = { now: () => now, monotonic: () => now } as never;
  const deliveries = new Deliveries({ clock, connectionsPerPlace: 256 });
  const rates = new RateLanes({
    deliveries,
    clock,
    cost: { leadMs: () => LEAD_MS },
    connections: { hasRoom: () => true },
  });
  deliveries.connect(
    { "awaiting slot": (delivery) => rates.add(delivery) },
    { slot: (delivery) => rates.onSlotReleased(delivery), connection() {}, bytes() {}, memory() {} },
  );
  return {
    rates,
    /** Adds a delivery that was due at `dueAtMs`, and returns it after it has had its turn, if it gets one. */
    async add(dueAtMs: number): Promise<Delivery> {
      const delivery = deliveries.add(dueSchedule({ dueAtMs, cpsLimit: 1 }), 0);
      rates.setLimit(delivery.lane, callsPerSecond);
      deliveries.move(delivery, "awaiting slot");
      await new Promise(setImmediate);
      return delivery;
    },
    async move(delivery: Delivery, ...states: DeliveryState[]) {
      for (const state of states) deliveries.move(delivery, state);
      await new Promise(setImmediate);
    },
    async goOnTo(ms: number) {
      now = ms;
      rates.runDue();
      await new Promise(setImmediate);
    },
  };
}

describe("an overloaded lane", () => {
  it("sends in due order, even when the later delivery gets a slot that is free earlier", async () => {
    const { add, move, goOnTo } = start(2);
    const [sent, unsent] = [await add(1_000), await add(1_001)];
    await move(sent, "claiming", "claimed", "prepared", "ready", "writing", "sent");
    const [first, second] = [await add(1_002), await add(1_003)];
    expect([first.state, second.state]).toEqual(["awaiting slot", "awaiting slot"]);
    // The slot of the sent delivery is free at 11,001 ms, and is handed on ahead of that.
    await goOnTo(10_950);
    expect(first.state).toBe("admitted");
    expect(first.leaveAtMs).toBeGreaterThan(11_000);
    await move(unsent, "removed");
    expect(second.state).toBe("admitted");
    expect(second.leaveAtMs).toBeGreaterThanOrEqual(first.leaveAtMs);
  });

  it("sends no delivery that is on time before one that is late", async () => {
    const { add, move, goOnTo } = start(2);
    const [sent, unsent] = [await add(1_000), await add(1_001)];
    await move(sent, "claiming", "claimed", "prepared", "ready", "writing", "sent");
    const [late, onTime] = [await add(10_900), await add(10_960)];
    await goOnTo(10_950);
    await move(unsent, "removed");
    expect([late.state, onTime.state]).toEqual(["admitted", "admitted"]);
    expect(late.leaveAtMs).toBeGreaterThan(onTime.sendAtMs);
    expect(onTime.leaveAtMs).toBeGreaterThanOrEqual(late.leaveAtMs);
  });
});

it("a slot that becomes free goes to the delivery that is due first, also when others have waited longer", async () => {
  const { add, move } = start(1);
  const first = await add(1_000);
  const [later, earlier] = [await add(1_002), await add(1_001)];
  await move(first, "removed");
  expect([later.state, earlier.state]).toEqual(["awaiting slot", "admitted"]);
});

it("a higher rate admits as many deliveries as it allows at once", async () => {
  const { add, rates } = start(1);
  const all = [];
  for (let n = 0; n < 5_000; n++) all.push(add(1_000 + n));
  const deliveries = await Promise.all(all);
  rates.setLimit("a:live", 4_000);
  await new Promise(setImmediate);
  expect(deliveries.map(({ state }) => state).lastIndexOf("admitted")).toBe(3_999);
  expect(deliveries.filter(({ state }) => state === "admitted")).toHaveLength(4_000);
});

it("after a stop, a slot that becomes free goes to no delivery", async () => {
  const { add, move, rates } = start(1);
  const first = await add(1_000);
  const second = await add(1_001);
  rates.stop();
  await move(first, "removed");
  expect(second.state).toBe("awaiting slot");
});

it("slots that another dispatcher used within the last second are taken, also when they are more than the lane has", async () => {
  const { rates, add, goOnTo } = start(2);
  rates.occupy(3, { "a:live": 3 });
  expect(rates.sentOf(3)).toEqual({ "a:live": 3 });
  const [first, second, third] = [await add(10_000), await add(10_001), await add(10_002)];
  await goOnTo(10_900);
  expect(first.state).toBe("awaiting slot");
  await goOnTo(11_000);
  expect([first.state, second.state, third.state]).toEqual(["admitted", "admitted", "awaiting slot"]);
  expect(first.leaveAtMs).toBeGreaterThan(11_000);
});

it("a slot that is released in the midst of a move is given once that move is over", async () => {
  const { rates, add } = start(1);
  const first = await add(1_000);
  const second = await add(1_001);
  rates.onSlotReleased(first);
  expect(second.state).toBe("awaiting slot");
  await new Promise(setImmediate);
  expect(second.state).toBe("admitted");
});

it("a lane is dropped when nothing was due in it for a second", async () => {
  const { rates, add, move, goOnTo } = start(2);
  const delivery = await add(10_000);
  await move(delivery, "removed");
  rates.dropIdle();
  for (const ms of [10_100, 10_600, 11_000]) {
    await goOnTo(ms);
    rates.dropIdle();
    expect(rates.size).toBe(1);
  }
  await goOnTo(11_600);
  rates.dropIdle();
  expect(rates.size).toBe(0);
});
