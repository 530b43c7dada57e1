/** The vertical scale of a tape: `log10(1 + ms)` upwards from the zero line for late, downwards for early. */
export type TapeScale = {
  /** The position of 0, percent of the height from the top. */
  zero: number;
  /** The position of a lateness, percent of the height from the top. */
  yOf(ms: number): number;
  /** Labelled values, ms. */
  majors: number[];
};

/**
 * A scale for latenesses from `earliestMs` to `latestMs`. It ends at a power of ten, at least one second. It has a
 * lower side only when something was early.
 */
export function tapeScale({ earliestMs, latestMs }: { earliestMs: number; latestMs: number }): TapeScale {
  const top = powerOfTen(Math.max(latestMs, 1_000));
  const bottom = earliestMs < 0 ? powerOfTen(Math.max(-earliestMs, 10)) : 0;
  const [up, down] = [Math.log10(1 + top), Math.log10(1 + bottom)];
  const zero = bottom === 0 ? ZERO_MAX : EDGE + ((100 - 2 * EDGE) * up) / (up + down);
  const decade = (zero - EDGE) / up;
  return {
    zero,
    yOf: (ms) => zero - Math.sign(ms) * decade * Math.log10(1 + Math.abs(ms)),
    majors: [
      ...powersUpTo(bottom)
        .filter((ms) => ms > 1)
        .map((ms) => -ms)
        .reverse(),
      ...powersUpTo(top),
    ],
  };
}

// Percent of the height: room above the highest and below the lowest mark.
const EDGE = 4;
const ZERO_MAX = 91;

const powerOfTen = (ms: number) => 10 ** Math.ceil(Math.log10(ms) - 1e-9);

const powersUpTo = (most: number) => Array.from({ length: 12 }, (_, power) => 10 ** power).filter((ms) => ms <= most);
