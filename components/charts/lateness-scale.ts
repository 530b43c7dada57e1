/**
 * The scale of all lateness charts: `log10(1 + ms)` to the right of the zero line and, if two-sided, to the left of it.
 * `xOf` returns percent of the width, clamped to 0 to 100.
 */
export type LatenessScale = {
  isTwoSided: boolean;
  zero: number;
  xOf(ms: number): number;
  /** The inverse of `xOf`: the lateness at a position, ms. */
  msAt(x: number): number;
};

export function latenessScale({ isTwoSided = false }: { isTwoSided?: boolean } = {}): LatenessScale {
  const { zero, decade } = isTwoSided ? TWO_SIDED : ONE_SIDED;
  return {
    isTwoSided,
    zero,
    xOf: (ms) => Math.min(100, Math.max(0, zero + Math.sign(ms) * decade * Math.log10(1 + Math.abs(ms)))),
    msAt: (x) => Math.sign(x - zero) * (10 ** (Math.abs(x - zero) / decade) - 1),
  };
}

// Percent of the width: position of 0, and length of a decade. 10 s is just within the right edge.
const ONE_SIDED = { zero: 13.08, decade: 21.1 };
const TWO_SIDED = { zero: 41.31, decade: 14.25 };

/** Labelled ticks, ms. */
export const MAJOR_MS = [1, 10, 100, 1_000, 10_000] as const;

/** Minor ticks, ms. */
export const MINOR_MS = [1, 10, 100, 1_000].flatMap((power) => [2, 3, 4, 5, 6, 7, 8, 9].map((digit) => digit * power));
