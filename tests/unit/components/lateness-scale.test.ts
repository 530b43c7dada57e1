import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { histogramLines } from "#components/charts/histogram-lines.ts";
import { latenessScale, MAJOR_MS, MINOR_MS } from "#components/charts/lateness-scale.ts";

const lateness = fc.integer({ min: -2_600_000_000, max: 2_600_000_000 });

describe.each([{ isTwoSided: false }, { isTwoSided: true }])("the scale of lateness, $isTwoSided", (options) => {
  const { xOf, msAt, zero } = latenessScale(options);

  it("places every lateness within the width, a later one never further left", () => {
    fc.assert(
      fc.property(lateness, lateness, (a, b) => {
        const [less, more] = a < b ? [a, b] : [b, a];
        expect(xOf(less)).toBeGreaterThanOrEqual(0);
        expect(xOf(more)).toBeLessThanOrEqual(100);
        expect(xOf(less)).toBeLessThanOrEqual(xOf(more));
      }),
    );
  });

  it("places a lateness of zero, and only that, on the zero line", () => {
    expect(xOf(0)).toBe(zero);
    fc.assert(
      fc.property(lateness, (ms) => {
        expect(Math.sign(xOf(ms) - zero)).toBe(Math.sign(ms));
      }),
    );
  });

  it("can be inverted: the position of a lateness gives that lateness back", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000 }), (ms) => {
        expect(msAt(xOf(ms))).toBeCloseTo(ms, 4);
      }),
    );
    expect(msAt(zero)).toBeCloseTo(0);
  });

  it("is labelled within its width, up to ten seconds", () => {
    for (const ms of [...MAJOR_MS, ...MINOR_MS]) expect(xOf(ms)).toBeLessThan(100);
    expect(MAJOR_MS.at(-1)).toBe(10_000);
  });
});

it("an early request is placed as far to the left as an equally late one to the right", () => {
  const { xOf, zero } = latenessScale({ isTwoSided: true });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 700 }), (ms) => {
      expect(zero - xOf(-ms)).toBeCloseTo(xOf(ms) - zero);
    }),
  );
});

const counts = fc.array(
  fc.record({ ms: fc.integer({ min: -50, max: 100_000_000 }), count: fc.integer({ min: 0, max: 1_000_000 }) }),
  { maxLength: 400 },
);

describe("the lines of a histogram", () => {
  it("include every request: each has a visible line at most a third of a percent away", () => {
    fc.assert(
      fc.property(counts, (latenesses) => {
        const lines = histogramLines(latenesses);
        const { xOf } = latenessScale();
        for (const { ms, count } of latenesses) {
          if (count === 0) continue;
          const nearest = Math.min(...lines.map(({ x }) => Math.abs(x - xOf(Math.max(0, ms)))));
          expect(nearest).toBeLessThanOrEqual(0.321);
        }
        for (const { height } of lines) expect(height).toBeGreaterThanOrEqual(3);
      }),
    );
  });

  it("stay within the picture from left to right, and are at most 220 for any number of values", () => {
    fc.assert(
      fc.property(counts, (latenesses) => {
        const lines = histogramLines(latenesses);
        expect(lines.length).toBeLessThanOrEqual(220);
        expect(lines.map(({ x }) => x)).toEqual(lines.map(({ x }) => x).sort((a, b) => a - b));
        for (const { x, height } of lines) {
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x).toBeLessThanOrEqual(100.001);
          expect(height).toBeLessThanOrEqual(96.001);
        }
      }),
    );
  });

  it("are as high as the square root of what they count", () => {
    const heights = histogramLines([
      { ms: 0, count: 100 },
      { ms: 1, count: 25 },
      { ms: 2, count: 1 },
      { ms: 500, count: 1 },
    ]).map(({ height }) => height);
    expect(heights).toEqual([96, 48, expect.closeTo(9.6), 3]);
  });

  it("are absent when nothing was sent", () => {
    expect(histogramLines([])).toEqual([]);
    expect(histogramLines([{ ms: 4, count: 0 }])).toEqual([]);
  });
});
