/**
 * The one scale on which lateness is drawn: `log10(1 + ms)` to the right of the zero line and, when something was early,
 * the same to the left of it. `xOf` answers percent of the width, 0 to 100; what lies outside stands at the edge.
 */
export type LatenessScale = {
  zero: number;
  xOf(ms: number): number;
  /** The lateness at a place of the width, ms: the inverse of `xOf` within the edges. */
  msAt(x: number): number;
};

export function latenessScale({ isTwoSided = false }: { isTwoSided?: boolean } = {}): LatenessScale {
  const { zero, decade } = isTwoSided ? TWO_SIDED : ONE_SIDED;
  return {
    zero,
    xOf: (ms) => Math.min(100, Math.max(0, zero + Math.sign(ms) * decade * Math.log10(1 + Math.abs(ms)))),
    msAt: (x) => Math.sign(x - zero) * (10 ** (Math.abs(x - zero) / decade) - 1),
  };
}

// Percent of the width: where 0 stands, and how far one factor of ten reaches. 10 s stands just within the right edge.
const ONE_SIDED = { zero: 13.08, decade: 21.1 };
const TWO_SIDED = { zero: 41.31, decade: 14.25 };

/** Where the scale is labelled, ms. */
export const MAJOR_MS = [1, 10, 100, 1_000, 10_000] as const;

/** Its finer graduations, ms. */
export const MINOR_MS = [1, 10, 100, 1_000].flatMap((power) => [2, 3, 4, 5, 6, 7, 8, 9].map((digit) => digit * power));
