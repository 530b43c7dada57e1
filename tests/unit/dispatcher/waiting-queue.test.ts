import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WaitingQueue } from "#dispatcher/connections/waiting-queue.ts";
import type { Delivery } from "#dispatcher/delivery/delivery.ts";

let ids = 0;
const waiting = (place: string, sendAtMs: number) =>
  ({ id: String(++ids).padStart(6, "0"), place, sendAtMs, state: "awaiting connection" }) as Delivery;
const all = () => true;

/** Takes out everything, a millisecond apart from `nowMs` on. */
function takeAll(queue: WaitingQueue, nowMs: number, mayGo: (delivery: Delivery) => boolean = all): Delivery[] {
  const taken: Delivery[] = [];
  for (let next = queue.take(nowMs, mayGo); next; next = queue.take(++nowMs, mayGo)) taken.push(next);
  return taken;
}

describe("those that wait for one origin", () => {
  it("go in turns by account when all are overdue, however many one account has", () => {
    const queue = new WaitingQueue();
    for (let n = 0; n < 400; n++) queue.push(waiting("a", n));
    for (let n = 0; n < 3; n++) queue.push(waiting("b", 500 + n));
    const order = takeAll(queue, 1_000).map(({ place }) => place);
    expect(order.slice(0, 8)).toEqual(["a", "b", "a", "b", "a", "b", "a", "a"]);
    expect(order).toHaveLength(403);
  });

  it("are not held up by an account that may have no more", () => {
    const queue = new WaitingQueue();
    for (let n = 0; n < 400; n++) queue.push(waiting("a", n));
    for (let n = 0; n < 10; n++) queue.push(waiting("b", 1_000 + n));
    const taken = takeAll(queue, 2_000, ({ place }) => place !== "a");
    expect(taken.map(({ place }) => place)).toEqual(Array.from({ length: 10 }, () => "b"));
    expect(queue.peek(({ place }) => place !== "a")).toBeUndefined();
    expect(takeAll(queue, 3_000)).toHaveLength(400);
  });

  it("each go once, within an account in due order, whatever was removed meanwhile", () => {
    const step = fc.record({
      place: fc.constantFrom("a", "b", "c", "d"),
      at: fc.integer({ min: 0, max: 50 }),
      act: fc.constantFrom("push", "push", "push", "take", "remove"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new WaitingQueue();
        const inside = new Set<Delivery>();
        for (const [nowMs, { place, at, act }] of steps.entries()) {
          if (act === "push") {
            const delivery = waiting(place, at);
            inside.add(delivery);
            queue.push(delivery);
          } else if (act === "remove") {
            const [one] = inside;
            if (!one) continue;
            one.state = "removed";
            inside.delete(one);
          } else {
            const taken = queue.take(nowMs, (delivery) => delivery.place !== place);
            const others = [...inside].filter((delivery) => delivery.place !== place);
            if (!taken) {
              expect(others).toEqual([]);
              continue;
            }
            expect(inside.delete(taken)).toBe(true);
            const own = others.filter((delivery) => delivery.place === taken.place);
            expect(Math.min(...own.map(({ sendAtMs }) => sendAtMs))).toBe(taken.sendAtMs);
          }
          expect(queue.count()).toBe(inside.size);
        }
        expect(new Set(queue.clear())).toEqual(inside);
        expect(queue.size).toBe(0);
      }),
    );
  });
});
