import { expect, test } from "vitest";
import { monotonicMs, readWallClock, wallTimeBetween } from "../../bench/wall-clock.ts";

test("a reading agrees with the machine's clock to the millisecond that the clock shows", () => {
  const before = Date.now();
  const { wallMs, monotonicMs: at } = readWallClock();
  const now = wallMs + monotonicMs() - at;
  expect(wallMs).toBeGreaterThanOrEqual(before);
  expect(now).toBeGreaterThanOrEqual(before - 1);
  expect(now).toBeLessThanOrEqual(Date.now() + 1);
});

test("the drift of the wall clock between two readings is spread evenly over the time between them", () => {
  const wallAt = wallTimeBetween({ wallMs: 1_000, monotonicMs: 0 }, { wallMs: 1_102, monotonicMs: 100 });
  expect(wallAt(0)).toBe(1_000);
  expect(wallAt(50)).toBe(1_051);
  expect(wallAt(100)).toBe(1_102);
});
