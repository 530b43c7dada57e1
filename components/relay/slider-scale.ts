/** Positions of a slider. */
export const SLIDER_STEPS = 1_000;

const LOGARITHMIC_FROM = 50;

/** The position of `value` between `min` and `max`: logarithmic when they are far apart, else linear. */
export function positionOf(value: number, min: number, max: number): number {
  if (max <= min) return SLIDER_STEPS;
  const within = Math.min(Math.max(value, min), max);
  const share = isLogarithmic(min, max) ? Math.log(within / min) / Math.log(max / min) : (within - min) / (max - min);
  return Math.round(share * SLIDER_STEPS);
}

/** The whole value at a position, of two digits on a logarithmic scale: the inverse of `positionOf`. */
export function valueAt(position: number, min: number, max: number): number {
  const share = position / SLIDER_STEPS;
  if (!isLogarithmic(min, max)) return Math.round(min + share * (max - min));
  const exact = min * (max / min) ** share;
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(exact)) - 1);
  return Math.min(Math.max(Math.round(exact / unit) * unit, min), max);
}

function isLogarithmic(min: number, max: number): boolean {
  return min > 0 && max / min >= LOGARITHMIC_FROM;
}
