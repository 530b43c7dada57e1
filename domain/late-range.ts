/** A range of lateness in whole milliseconds, both ends included; negative means early. Null: no bound. */
export type LateRange = { fromMs: number | null; toMs: number | null };

/** Parses a range of lateness such as `250..`, `..0` or `100..500`. Null for any other text, and for a reversed range. */
export function parseLateRange(text: string): LateRange | null {
  const [, from, to] = FORM.exec(text) ?? [];
  if (from === undefined && to === undefined) return null;
  const range = { fromMs: from === undefined ? null : Number(from), toMs: to === undefined ? null : Number(to) };
  const isReversed = range.fromMs !== null && range.toMs !== null && range.fromMs > range.toMs;
  return isReversed ? null : range;
}

/** The text that `parseLateRange` reads. */
export function writeLateRange({ fromMs, toMs }: LateRange): string {
  return `${fromMs ?? ""}..${toMs ?? ""}`;
}

// At most twelve digits, which is 31 years.
const FORM = /^(0|-?[1-9]\d{0,11})?\.\.(0|-?[1-9]\d{0,11})?$/;
