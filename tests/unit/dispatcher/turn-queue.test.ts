import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { MinHeap } from "#dispatcher/runtime/min-heap.ts";
import { TurnQueue } from "#dispatcher/runtime/turn-queue.ts";

type Item = { n: number; group: string; dueMs: number; turns: number; removed: boolean };

let items = 0;
const item = (group: string, dueMs: number, turns = 1): Item => ({ n: ++items, group, dueMs, turns, removed: false });
const newQueue = () =>
  new TurnQueue<Item>({
    groupOf: ({ group }) => group,
    dueMs: ({ dueMs }) => dueMs,
    before: (a, b) => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.n < b.n),
    isWaiting: ({ removed }) => !removed,
    turns: ({ turns }) => turns,
  });

/**
 * Takes everything, one item a millisecond from `nowMs` on. Returns the groups in the order in which they were taken.
 */
function takeAll(queue: TurnQueue<Item>, nowMs: number, mayGo: (item: Item) => boolean = () => true): string[] {
  const taken: string[] = [];
  for (let next = queue.take(nowMs, mayGo); next; next = queue.take(++nowMs, mayGo)) taken.push(next.group);
  return taken;
}

/** Takes `count` items at `nowMs`. Returns their groups. */
const takeSome = (queue: TurnQueue<Item>, nowMs: number, count: number) =>
  Array.from({ length: count }, () => queue.take(nowMs)?.group);

describe("removing items from a turn queue", () => {
  it("removes all that the predicate picks, even when the predicate reads the queue's size", () => {
    const queue = newQueue();
    for (let n = 0; n < 3; n++) queue.push(item("a", n));
    expect(queue.remove(() => queue.size > 0)).toHaveLength(3);
    expect(queue.size).toBe(0);
    expect(queue.take(1_000)).toBeUndefined();
  });
});

describe("groups in a turn queue", () => {
  it("alternate when all are overdue, however many items one of them has", () => {
    const queue = newQueue();
    for (let n = 0; n < 400; n++) queue.push(item("a", n));
    for (let n = 0; n < 3; n++) queue.push(item("b", 500 + n));
    const order = takeAll(queue, 10_000);
    expect(order.slice(0, 8)).toEqual(["a", "b", "a", "b", "a", "b", "a", "a"]);
    expect(order).toHaveLength(403);
  });

  it("get every fourth turn for a head that became late recently, even when thousands were due before it", () => {
    const queue = newQueue();
    for (let n = 0; n < 1_000; n++) queue.push(item(`crowd ${n}`, 0));
    expect(takeSome(queue, 400, 3).every((group) => group?.startsWith("crowd"))).toBe(true);
    for (let n = 0; n < 3; n++) queue.push(item("late", 200 + n));
    expect(takeSome(queue, 400, 12).filter((group) => group === "late")).toHaveLength(3);
  });

  it("get such a turn for a head that was due just before a burst, even when they had a turn since", () => {
    const queue = newQueue();
    queue.push(item("other", 9_900));
    queue.push(item("other", 9_970));
    for (let n = 0; n < 2_000; n++) queue.push(item(`crowd ${n}`, 10_000));
    expect(queue.take(10_060)?.group).toBe("other");
    expect(takeSome(queue, 11_000, 16)).toContain("other");
  });

  it("with one due time become late together, not one by one", () => {
    const queue = newQueue();
    for (let n = 0; n < 10_000; n++) queue.push(item(`crowd ${n}`, 10_000));
    expect(takeSome(queue, 10_000, 8)).not.toContain(undefined);
    const pop = vi.spyOn(MinHeap.prototype, "pop");
    const late = takeSome(queue, 10_060, 8);
    const pops = pop.mock.calls.length;
    pop.mockRestore();
    expect(new Set(late).size).toBe(8);
    expect(pops).toBeLessThan(40);
  });

  it("alternate within one instant, too", () => {
    const queue = newQueue();
    for (let n = 0; n < 4; n++) for (const group of ["a", "b", "c"]) queue.push(item(group, n));
    const order = Array.from({ length: 12 }, () => queue.take(10_000)?.group);
    for (let at = 0; at < 12; at += 3) expect(new Set(order.slice(at, at + 3)).size).toBe(3);
  });

  it("are not delayed by a group that may not take its turn", () => {
    const queue = newQueue();
    for (let n = 0; n < 400; n++) queue.push(item("a", n));
    for (let n = 0; n < 10; n++) queue.push(item("b", 1_000 + n));
    expect(takeAll(queue, 2_000, ({ group }) => group !== "a")).toEqual(Array.from({ length: 10 }, () => "b"));
    expect(queue.peek(({ group }) => group !== "a")).toBeUndefined();
    expect(takeAll(queue, 3_000)).toHaveLength(400);
  });

  it("keep their place in the order of turns while they are empty for a moment", () => {
    const queue = newQueue();
    for (let n = 0; n < 10; n++) queue.push(item("a", n));
    const order: (string | undefined)[] = [];
    for (let nowMs = 10_000; nowMs < 10_006; nowMs++) {
      if (queue.size < 11) queue.push(item("b", 0));
      order.push(queue.take(nowMs)?.group);
    }
    expect(order.filter((group) => group === "b")).toHaveLength(3);
  });

  it("get every fourth turn for a head that is on time, the earliest first", () => {
    const queue = newQueue();
    for (let n = 0; n < 100; n++) queue.push(item(`late ${n}`, n));
    for (const group of ["first", "second"]) queue.push(item(group, 10_000 + (group === "first" ? 1 : 2)));
    const order = Array.from({ length: 8 }, () => queue.take(10_005)?.group);
    expect([order.indexOf("first"), order.indexOf("second")]).toEqual([3, 7]);
  });

  it("pay several turns of their own for an item that counts as several", () => {
    const queue = newQueue();
    for (let n = 0; n < 4; n++) queue.push(item("large", n, 4));
    for (let n = 0; n < 8; n++) queue.push(item("small", n));
    const order = takeAll(queue, 10_000);
    expect(order.slice(0, 6).filter((group) => group === "large")).toHaveLength(2);
    expect(order).toHaveLength(12);
  });

  it("return every item once, in the order of its due time, whatever was removed meanwhile", () => {
    const step = fc.record({
      group: fc.constantFrom("a", "b", "c", "d"),
      at: fc.integer({ min: 0, max: 250 }),
      act: fc.constantFrom("push", "push", "push", "take", "remove"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = newQueue();
        const inside = new Set<Item>();
        for (const [nowMs, { group, at, act }] of steps.entries()) {
          if (act === "push") {
            const one = item(group, at);
            inside.add(one);
            queue.push(one);
          } else if (act === "remove") {
            const [one] = inside;
            if (!one) continue;
            one.removed = true;
            inside.delete(one);
          } else {
            const taken = queue.take(nowMs, (one) => one.group !== group);
            const others = [...inside].filter((one) => one.group !== group);
            if (!taken) {
              expect(others).toEqual([]);
              continue;
            }
            expect(inside.delete(taken)).toBe(true);
            const own = others.filter((one) => one.group === taken.group);
            expect(Math.min(...own.map(({ dueMs }) => dueMs))).toBe(taken.dueMs);
          }
          expect(queue.count()).toBe(inside.size);
        }
        expect(new Set(queue.clear())).toEqual(inside);
        expect(queue.size).toBe(0);
      }),
    );
  });
});

/** Serves one item each quarter of a millisecond. Returns the 99th percentile of the control group's lateness, ms. */
function simulate(others: Item[], seconds: number): number {
  const STEP_MS = 0.25;
  const CONTROL_LANES = 100;
  const control: Item[] = [];
  for (let lane = 0; lane < CONTROL_LANES; lane++) {
    for (let dueMs = (lane * 500) / CONTROL_LANES; dueMs < seconds * 1_000; dueMs += 500) {
      control.push(item(`control ${lane}`, dueMs));
    }
  }
  const arriving = [...control, ...others].sort((a, b) => b.dueMs - a.dueMs);
  const isControl = new Set(control);
  const queue = newQueue();
  const lateness: number[] = [];
  for (let nowMs = 0; nowMs < seconds * 1_000; nowMs += STEP_MS) {
    for (let next = arriving.at(-1); next && next.dueMs <= nowMs; next = arriving.at(-1)) {
      queue.push(next);
      arriving.pop();
    }
    const served = queue.take(nowMs);
    if (served && isControl.has(served)) lateness.push(nowMs - served.dueMs);
  }
  const due = control.filter(({ dueMs }) => dueMs < seconds * 1_000 - 250).length;
  expect(lateness.length).toBeGreaterThanOrEqual(due);
  return lateness.toSorted((a, b) => a - b)[Math.floor(lateness.length * 0.99)] as number;
}

describe("100 lanes with 2 requests a second each, where 4,000 a second are served,", () => {
  const lanes = (count: number, each: number, dueMs: (n: number) => number) =>
    Array.from({ length: count * each }, (_, n) => item(`other ${n % count}`, dueMs(n)));

  it.each([
    ["nobody else", () => [], 5],
    ["200,000 overdue rows of 50 lanes", () => lanes(50, 4_000, (n) => n - 200_000), 20],
    ["one lane that asks for all of it", () => lanes(1, 20_000, (n) => n / 4), 20],
    // For its first 100 ms the burst counts as on time, too.
    ["40,000 lanes that are due at one instant", () => lanes(40_000, 1, () => 1_000), 100],
    ["100,000 lanes that are due at one instant", () => lanes(100_000, 1, () => 1_000), 100],
  ])("are on time beside %s", (_, others, p99Ms) => {
    expect(simulate(others(), 5)).toBeLessThan(p99Ms);
  });
});
