import { expect, it } from "vitest";
import { newDelivery } from "#dispatcher/delivery/delivery.ts";
import { Flow } from "#dispatcher/intake/flow.ts";
import { NearQueue, type WakeUp } from "#dispatcher/intake/near-queue.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

const INSTANT_MS = 100_000;

const nearQueue = () => new NearQueue(({ dueAtMs }) => dueAtMs !== INSTANT_MS);

function due(accountId: string, dueAtMs: number, atMs: number): WakeUp {
  const first = newDelivery(dueSchedule({ accountId, dueAtMs }), 0, "known");
  return { flow: new Flow("", first.lane), first, atMs };
}

function takeAll(queue: NearQueue, untilMs: number): string[] {
  const taken: string[] = [];
  for (let next = queue.take(untilMs); next; next = queue.take(untilMs)) taken.push(next.first.accountId);
  return taken;
}

it("a delivery outside a burst comes before a burst that wakes earlier, but no delivery comes before its wake time", () => {
  const queue = nearQueue();
  for (let n = 0; n < 3; n++) queue.push(due("burst", INSTANT_MS, 1_000 + n));
  queue.push(due("other", INSTANT_MS + 20, 1_500));
  queue.push(due("later", INSTANT_MS + 40, 2_500));
  expect(queue.nextMs()).toBe(1_000);
  expect(takeAll(queue, 999)).toEqual([]);
  expect(takeAll(queue, 2_000)).toEqual(["other", "burst", "burst", "burst"]);
  expect(queue.nextMs()).toBe(2_500);
  expect(takeAll(queue, 2_500)).toEqual(["later"]);
  expect(queue.nextMs()).toBe(Number.POSITIVE_INFINITY);
});

it("a delivery does not overtake one of its own lane that is in a burst and wakes earlier", () => {
  const queue = nearQueue();
  queue.push(due("own", INSTANT_MS, 1_000));
  queue.push(due("own", INSTANT_MS + 20, 1_500));
  expect(queue.take(2_000)?.first.dueAtMs).toBe(INSTANT_MS);
  expect(queue.take(2_000)?.first.dueAtMs).toBe(INSTANT_MS + 20);
  queue.push(due("burst", INSTANT_MS, 1_000));
  queue.push(due("own", INSTANT_MS + 40, 1_500));
  expect(takeAll(queue, 2_000)).toEqual(["own", "burst"]);
});

it("an outdated wake-up holds back no other of its lane", () => {
  const queue = nearQueue();
  const gone = due("own", INSTANT_MS, 1_000);
  for (const wakeUp of [gone, due("burst", INSTANT_MS, 1_000), due("own", INSTANT_MS + 20, 1_500)]) queue.push(wakeUp);
  queue.prune((wakeUp) => wakeUp !== gone);
  expect(takeAll(queue, 2_000)).toEqual(["own", "burst"]);
});

it("deliveries of a lane with one wake time come in due order", () => {
  const queue = nearQueue();
  const lane = Array.from({ length: 20 }, () => due("own", INSTANT_MS, 1_000));
  const inDueOrder = lane.toSorted((a, b) => (a.first.id < b.first.id ? -1 : 1));
  for (const wakeUp of lane) queue.push(wakeUp);
  for (const wakeUp of inDueOrder) expect(queue.take(2_000)).toBe(wakeUp);
});
