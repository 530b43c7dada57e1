import { expect, it } from "vitest";
import { Deliveries } from "#dispatcher/delivery/deliveries.ts";
import type { Delivery } from "#dispatcher/delivery/delivery.ts";
import { DueQueue } from "#dispatcher/intake/due-queue.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

const CLAIM_AHEAD_MS = 240;
const BEGIN_MS = 1_000_000;
/** How far ahead of its instant a delivery is enqueued when little else is due, ms. */
const LEAD_MS = 11;

/**
 * A due queue whose clock jumps to each wake-up that the queue requests. The preparation time of the origin is
 * `preparationMs`. Claiming takes `rowMs` for each delivery that leaves at the same time.
 */
function start(preparationMs = 0, rowMs = 0) {
  let nowMs = BEGIN_MS;
  const clock = { now: () => nowMs, monotonic: () => nowMs } as never;
  const deliveries = new Deliveries({ clock, connectionsPerPlace: 256 });
  const aheadMs: number[] = [];
  const enqueued: Pick<Delivery, "accountId" | "dueAtMs">[] = [];
  let moreMs = (_nowMs: number) => 0;
  const queue = new DueQueue({
    deliveries,
    clock,
    claimAheadMs: CLAIM_AHEAD_MS,
    claimCost: { leadMs: (rows) => LEAD_MS + rowMs * rows + moreMs(nowMs) },
    preparation: { aheadMs: () => preparationMs },
    rates: { isNearLimit: () => false },
    routes: { route() {} },
    demand: { expect() {}, expectsFewWith: ({ dueAtMs }) => dueAtMs % 1_000 !== 0 },
    waitingList: {
      letPass(delivery) {
        aheadMs.push(delivery.sendAtMs - nowMs);
        enqueued.push(delivery);
        deliveries.move(delivery, "awaiting slot");
      },
    },
  });
  deliveries.connect(
    { known: (delivery, from) => queue.add(delivery, from) },
    { slot() {}, connection() {}, bytes() {}, memory() {} },
  );
  return {
    aheadMs,
    enqueued,
    /** Has claims take longer, by what `more` says for an instant, ms. */
    takeLonger: (more: typeof moreMs) => {
      moreMs = more;
    },
    add(accountId: string, dueAtMs: number, shard = 0) {
      deliveries.add(dueSchedule({ accountId, dueAtMs, shard }), 0);
    },
    /** Runs the queue until nothing is left in it. Returns how often it was woken. */
    run(): number {
      for (let wakeUps = 0; ; wakeUps++) {
        const nextMs = queue.runDue();
        if (nextMs === Number.POSITIVE_INFINITY) return wakeUps;
        nowMs = Math.max(nowMs, nextMs);
      }
    },
  };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1];

it("1,000 deliveries that are due over a second cost fewer than 100 wake-ups", () => {
  const { add, run } = start();
  for (let n = 0; n < 1_000; n++) add(`account ${n}`, BEGIN_MS + 4_000 + n);
  // A second has 20 wake-ups that open connections, 20 that look at the load, and those that enqueue 40 deliveries each.
  expect(run()).toBeLessThan(100);
});

it("each delivery is enqueued early enough for its turn and its claim", () => {
  const { add, run, aheadMs } = start();
  for (let n = 0; n < 50; n++) add(`account ${n}`, BEGIN_MS + 4_000 + 7 * n);
  run();
  expect(aheadMs).toHaveLength(50);
  expect(Math.min(...aheadMs)).toBeGreaterThanOrEqual(LEAD_MS);
  expect(Math.max(...aheadMs)).toBeLessThan(LEAD_MS + 100);
});

it("1,000 deliveries a second are enqueued 40 at a time, not as far ahead as a burst of 1,000 would be", () => {
  const { add, run, aheadMs, enqueued } = start(0, 0.1);
  for (let n = 0; n < 4_000; n++) add(`account ${n}`, BEGIN_MS + 4_000 + n);
  // 1,000 / 40 wake-ups a second that enqueue, and 40 that look ahead.
  expect(run()).toBeLessThan(4 * 70);
  expect(enqueued).toHaveLength(4_000);
  expect(Math.max(...aheadMs)).toBeLessThanOrEqual(CLAIM_AHEAD_MS);
  const [claimMs, enqueueMs, togetherMs] = [0.1 * 500, 0.05 * 500, 80];
  expect(median(aheadMs)).toBeLessThan(LEAD_MS + claimMs + enqueueMs + togetherMs);
});

it("deliveries are enqueued 40 at a time even when claims take longer than they may be made ahead", () => {
  const { add, run, enqueued } = start(0, 1);
  for (let n = 0; n < 4_000; n++) add(`account ${n}`, BEGIN_MS + 4_000 + n);
  expect(run()).toBeLessThan(4 * 70);
  expect(enqueued).toHaveLength(4_000);
});

it("each delivery is enqueued ahead by the preparation time of its origin, but not before it may be claimed", () => {
  for (const preparationMs of [150, 1_000]) {
    const { add, run, aheadMs } = start(preparationMs);
    for (let n = 0; n < 50; n++) add(`account ${n}`, BEGIN_MS + 4_000 + 7 * n);
    run();
    const expectedMs = Math.min(preparationMs, CLAIM_AHEAD_MS);
    expect(aheadMs).toHaveLength(50);
    expect(Math.min(...aheadMs)).toBeGreaterThanOrEqual(expectedMs);
    expect(Math.max(...aheadMs)).toBeLessThan(expectedMs + 100);
  }
});

it("a delivery outside a burst is enqueued before thousands of a burst that is due just before it, but not before those of its own lane", () => {
  const { add, run, enqueued } = start();
  for (let n = 0; n < 3_000; n++) add(`crowd ${n}`, BEGIN_MS + 4_000);
  for (let n = 0; n < 300; n++) add("own crowd", BEGIN_MS + 4_000);
  add("own crowd", BEGIN_MS + 4_005);
  add("other", BEGIN_MS + 4_005);
  run();
  expect(enqueued).toHaveLength(3_302);
  expect(enqueued.findIndex(({ accountId }) => accountId === "other")).toBeLessThan(500);
  expect(enqueued.filter(({ accountId }) => accountId === "own crowd").at(-1)?.dueAtMs).toBe(BEGIN_MS + 4_005);
});

it("a delivery due up to 60 ms after a burst is enqueued as early as the burst", () => {
  const { add, run, enqueued, aheadMs } = start();
  const instantMs = BEGIN_MS + 4_050;
  for (let n = 0; n < 3_000; n++) add(`crowd ${n}`, instantMs);
  for (const afterMs of [1, 20, 39, 60]) add("other", instantMs + afterMs);
  run();
  const others = aheadMs.filter((_, n) => enqueued[n]?.accountId === "other");
  expect(others).toHaveLength(4);
  expect(Math.min(...others)).toBeGreaterThan(140);
});

it("a burst is enqueued shard by shard, not all at once", () => {
  const { add, run, aheadMs } = start();
  for (let n = 0; n < 6_400; n++) add(`crowd ${n}`, BEGIN_MS + 4_050, n % 64);
  run();
  const inMs = (from: number) => aheadMs.filter((ms) => ms >= from && ms < from + 50).length;
  expect(Math.max(...Array.from({ length: 10 }, (_, n) => inMs(50 * n)))).toBeLessThan(3_000);
});

it("a delivery is enqueued behind those of its lane and origin that are due before it, however claims slow down and speed up", () => {
  const { add, run, takeLonger, enqueued } = start();
  takeLonger((nowMs) => (Math.floor(nowMs / 70) % 3) * 100);
  for (let n = 0; n < 400; n++) add(`account ${n % 4}`, BEGIN_MS + 4_001 + 7 * n);
  run();
  expect(enqueued).toHaveLength(400);
  for (const [, lane] of Map.groupBy(enqueued, ({ accountId }) => accountId))
    expect(lane.map(({ dueAtMs }) => dueAtMs)).toEqual(lane.map(({ dueAtMs }) => dueAtMs).sort((a, b) => a - b));
});
