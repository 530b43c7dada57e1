import { describe, expect, it } from "vitest";
import { positionOf, SLIDER_STEPS, valueAt } from "#components/relay/slider-scale.ts";
import { formatWait } from "#components/relay/wait.ts";

describe("the scale of a slider", () => {
  it.each([
    [1, 20],
    [0, 4],
    [1, 500],
    [1, 3_600],
    [7, 7],
  ])("ends exactly at %i and %i", (min, max) => {
    expect(valueAt(0, min, max)).toBe(min);
    expect(valueAt(SLIDER_STEPS, min, max)).toBe(max);
    expect(positionOf(max, min, max)).toBe(SLIDER_STEPS);
    expect(positionOf(max * 10 + 1, min, max)).toBe(SLIDER_STEPS);
  });

  it("can select each value of a short range, and shows a value at the position that selects it", () => {
    for (let value = 1; value <= 20; value++) expect(valueAt(positionOf(value, 1, 20), 1, 20)).toBe(value);
  });

  it("is logarithmic when the ends are far apart: 60 s is in the middle of 1 s to 1 h", () => {
    expect(positionOf(60, 1, 3_600)).toBe(SLIDER_STEPS / 2);
    expect(valueAt(SLIDER_STEPS / 2, 1, 3_600)).toBe(60);
  });
});

describe("a wait in words", () => {
  it("has tenths of a second below a minute, and two units above", () => {
    expect([1_250, 37_500, 75_000, 3_600_000].map(formatWait)).toEqual(["1.2 s", "37.5 s", "1 m 15 s", "1 h"]);
  });
});
