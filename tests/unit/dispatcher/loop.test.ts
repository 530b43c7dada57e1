import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Loop } from "#dispatcher/runtime/loop.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

it("a round can request an earlier next round; the round after that comes a whole period later", async () => {
  const begunAtMs: number[] = [];
  const loop = new Loop(
    1_000,
    async () => {
      begunAtMs.push(Date.now());
      if (begunAtMs.length === 1) loop.within(100);
    },
    (error) => {
      throw error;
    },
  );
  loop.start();
  await vi.advanceTimersByTimeAsync(1_200);
  loop.stop();
  const [first = Number.NaN, second = Number.NaN, third = Number.NaN, ...further] = begunAtMs;
  expect(second - first).toBe(100);
  expect(third - second).toBeGreaterThanOrEqual(950);
  expect(further).toEqual([]);
});

it("a round that fails is not repeated at once, even when it is wanted at once", async () => {
  let rounds = 0;
  const loop: Loop = new Loop(
    10_000,
    async () => {
      rounds++;
      loop.soon();
      throw new Error("refused");
    },
    () => {},
  );
  loop.start();
  await vi.advanceTimersByTimeAsync(1_100);
  loop.soon();
  await vi.advanceTimersByTimeAsync(100);
  loop.stop();
  expect(rounds).toBe(5);
});
