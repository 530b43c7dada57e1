import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMinHeap } from "#dispatcher/min-heap.ts";
import { createQueue } from "#dispatcher/queue.ts";

describe("the heap", () => {
  it("gives back what it was given in ascending order, also after some was dropped", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 2, max: 5 }), (numbers, divisor) => {
        const heap = createMinHeap<number>((a, b) => a < b);
        for (const number of numbers) heap.push(number);
        const dropped = heap.drop((number) => number % divisor !== 0);
        const left: number[] = [];
        for (let next = heap.pop(); next !== undefined; next = heap.pop()) left.push(next);
        expect(left).toEqual(numbers.filter((number) => number % divisor !== 0).sort((a, b) => a - b));
        expect(dropped.sort((a, b) => a - b)).toEqual(
          numbers.filter((number) => number % divisor === 0).sort((a, b) => a - b),
        );
      }),
    );
  });
});

describe("the queue", () => {
  it("gives back what it was given in order, however it is pushed, shifted and taken from", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 5_000 }), (steps) => {
        const queue = createQueue<number>();
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
});
