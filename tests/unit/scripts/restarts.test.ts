import { expect, test } from "vitest";
import { Restarts } from "#scripts/stack/restarts.ts";

test("five restarts a minute are allowed, each after twice the pause of the one before", () => {
  const restarts = new Restarts();
  expect([0, 1, 2, 3, 4, 59_999].map((ms) => restarts.next(ms))).toEqual([250, 500, 1_000, 2_000, 4_000, undefined]);
});

test("a restart is forgotten a minute later, and the pause shrinks with it", () => {
  const restarts = new Restarts();
  for (const ms of [0, 10_000, 20_000, 30_000, 40_000]) restarts.next(ms);
  expect(restarts.next(60_000)).toBe(4_000);
  expect(restarts.next(60_001)).toBeUndefined();
  expect(restarts.next(200_000)).toBe(250);
});
