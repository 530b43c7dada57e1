import { expect, it } from "vitest";
import { Streaks } from "#dispatcher/connections/streaks.ts";

it("what fails again and again fails since the first time, until it ends or pauses for two minutes", () => {
  const streaks = new Streaks();
  expect(streaks.note("a", 0, 10)).toBe(0);
  expect(streaks.note("a", 1_000, 1_010)).toBe(0);
  expect(streaks.note("b", 2_000, 2_010)).toBe(2_000);
  expect(streaks.note("a", 120_000, 121_009)).toBe(0);
  expect(streaks.note("a", 241_009, 241_010)).toBe(241_009);
  streaks.end("a");
  expect(streaks.note("a", 242_000, 242_001)).toBe(242_000);
});

it("another one fails while it has failed lately and has not ended", () => {
  const streaks = new Streaks();
  streaks.note("a", 0, 1);
  expect(streaks.hasOther("a", 0, 2)).toBe(false);
  expect(streaks.hasOther("b", 0, 2)).toBe(true);
  streaks.note("b", 2, 3);
  expect(streaks.hasOther("a", 0, 4)).toBe(true);
  expect(streaks.hasOther("b", 0, 4)).toBe(true);
  expect(streaks.hasOther("b", 1, 4)).toBe(false);
  expect(streaks.hasOther("a", 0, 200_000)).toBe(false);
  streaks.end("b");
  expect(streaks.hasOther("a", 0, 4)).toBe(false);
});

it("at most ten thousand are remembered", () => {
  const streaks = new Streaks();
  for (let n = 0; n < 10_100; n++) streaks.note(String(n), n, n);
  expect(streaks.note("10099", 10_200, 10_200)).toBe(10_099);
  expect(streaks.note("0", 10_200, 10_200)).toBe(10_200);
});
