import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fifo } from "#dispatcher/runtime/fifo.ts";
import { MinHeap } from "#dispatcher/runtime/min-heap.ts";
import { SortedQueue } from "#dispatcher/runtime/sorted-queue.ts";
import { StepQueue } from "#dispatcher/runtime/step-queue.ts";
import { collectGarbage } from "../../helpers/collect-garbage.ts";

describe.each([
  ["the heap", MinHeap],
  ["the queue for items that arrive almost in order", SortedQueue],
])("%s", (_name, Queue) => {
  const heapOf = (numbers: number[]) => {
    const heap = new Queue<number>((a, b) => a < b);
    for (const number of numbers) heap.push(number);
    return heap;
  };
  const ascending = (numbers: number[]) => numbers.toSorted((a, b) => a - b);

  it("returns its items in ascending order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (numbers) => {
        const heap = heapOf(numbers);
        const left: number[] = [];
        for (let next = heap.pop(); next !== undefined; next = heap.pop()) left.push(next);
        expect(left).toEqual(ascending(numbers));
      }),
    );
  });

  it("always returns its first item, however items are pushed, popped and pruned", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -40, max: 100 }), { maxLength: 1_000 }), (steps) => {
        const heap = heapOf([]);
        let expected: number[] = [];
        for (const [index, step] of steps.entries()) {
          // Numbers that mostly rise, as due times do.
          if (step >= 0) {
            heap.push(index + step);
            expected = ascending([...expected, index + step]);
          } else if (step > -39) {
            expect(heap.pop()).toBe(expected.shift());
          } else {
            heap.prune((number) => number % 3 !== 0);
            expected = expected.filter((number) => number % 3 !== 0);
          }
          expect([heap.size, heap.peek()]).toEqual([expected.length, expected[0]]);
        }
      }),
    );
  });

  it("returns all its items when it is cleared, counts those that match, and is empty afterwards", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (numbers) => {
        const heap = heapOf(numbers);
        const isEven = (number: number) => number % 2 === 0;
        expect(heap.count(isEven)).toBe(numbers.filter(isEven).length);
        expect(ascending(heap.clear())).toEqual(ascending(numbers));
        expect(heap.size).toBe(0);
        expect(heap.pop()).toBeUndefined();
      }),
    );
  });
});

describe("the queue", () => {
  it("returns its items in order, however they are pushed, shifted and taken", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 5_000 }), (steps) => {
        const queue = new Fifo<number>();
        let expected: number[] = [];
        for (const [index, step] of steps.entries()) {
          if (step > 0) {
            queue.push(index);
            expected.push(index);
          } else if (step > -3) {
            expect(queue.shift()).toBe(expected.shift());
          } else {
            expect(queue.take((item) => item % 3 === 0)).toEqual(expected.filter((item) => item % 3 === 0));
            expected = expected.filter((item) => item % 3 !== 0);
          }
          expect(queue.length).toBe(expected.length);
          expect(queue.peek()).toBe(expected[0]);
        }
      }),
    );
  });

  it("finds the first item that is accepted, and drops only items before it that need not be kept", () => {
    const steps = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 1_000 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 200 }), (actions, every, of) => {
        const queue = new Fifo<number>();
        let expected: number[] = [];
        for (const [index, step] of actions.entries()) {
          if (step > 0) {
            queue.push(index);
            expected.push(index);
          } else if (step > -2) {
            expect(queue.shift()).toBe(expected.shift());
          } else {
            const keeps = (item: number) => item % every !== 0;
            const isFound = (item: number) => keeps(item) && item % of === index % of;
            const at = expected.findIndex(isFound);
            expect(queue.find((item) => item % of === index % of, keeps)).toBe(expected[at]);
            expected = expected.filter((item, place) => keeps(item) || (at >= 0 && place >= at));
          }
          expect(queue.values()).toEqual(expected);
          expect([queue.length, queue.peek(), queue.last()]).toEqual([expected.length, expected[0], expected.at(-1)]);
        }
      }),
    );
  });

  it("keeps no reference to an item that was taken out", async () => {
    const queue = new Fifo<object>();
    const taken: WeakRef<object>[] = [];
    (() => {
      for (let n = 0; n < 100; n++) queue.push({ n });
      for (let n = 0; n < 99; n++) taken.push(new WeakRef(queue.shift() as object));
    })();
    await collectGarbage();
    expect(taken.filter((one) => one.deref() !== undefined)).toEqual([]);
    expect(queue.shift()).toEqual({ n: 99 });
  });
});

describe("the queue by steps of time", () => {
  const STEP_MS = 50;
  const stepOf = (ms: number) => Math.floor(ms / STEP_MS);

  it("returns the items whose steps have begun, step by step and in the order in which they were added, and says when the next step begins", () => {
    const actions = fc.record({
      add: fc.array(fc.integer({ min: 0, max: 2_000 })),
      waitMs: fc.integer({ min: 0, max: 300 }),
      max: fc.integer({ min: 1, max: 20 }),
      prunes: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(actions), (rounds) => {
        const queue = new StepQueue<{ atMs: number }>(STEP_MS);
        const isKept = ({ atMs }: { atMs: number }) => atMs % 3 !== 0;
        let expected: { atMs: number }[] = [];
        let nowMs = 0;
        for (const { add, waitMs, max, prunes } of rounds) {
          for (const item of add.map((ms) => ({ atMs: nowMs + ms }))) {
            queue.push(item, item.atMs);
            expected.push(item);
          }
          expected = expected.toSorted((a, b) => stepOf(a.atMs) - stepOf(b.atMs));
          nowMs += waitMs;
          const begun = expected.filter(({ atMs }) => stepOf(atMs) <= stepOf(nowMs)).slice(0, max);
          expect(queue.take(nowMs, max)).toEqual(begun);
          expected = expected.slice(begun.length);
          if (prunes) {
            queue.prune(isKept);
            expected = expected.filter(isKept);
          }
          expect(queue.size).toBe(expected.length);
          expect(queue.count(isKept)).toBe(expected.filter(isKept).length);
          const first = expected[0] ? stepOf(expected[0].atMs) * STEP_MS : Number.POSITIVE_INFINITY;
          expect(queue.nextMs()).toBe(first);
        }
      }),
    );
  });
});
