import { processEnv } from "#config.ts";

type Values = Record<string, readonly unknown[]>;
type Combination<V extends Values> = { [K in keyof V]: V[K][number] };

/**
 * Combinations of the values of each key, such that any two values of two keys meet in at least one of them: most faults need
 * no three. With MATRICES=whole all combinations, as in the night.
 *
 * @returns the same ones each time. Their number is about that of the two longest lists multiplied.
 */
export function pairwise<V extends Values>(values: V): Combination<V>[] {
  const keys = Object.keys(values);
  const lengths = keys.map((key) => values[key]?.length ?? 0);
  const rows = processEnv().MATRICES === "whole" ? allOf(lengths) : coverPairs(lengths);
  return rows.map(
    (row) => Object.fromEntries(keys.map((key, n) => [key, values[key]?.[row[n] as number]])) as Combination<V>,
  );
}

const allOf = (lengths: readonly number[]): number[][] =>
  lengths.reduce<number[][]>(
    (rows, length) => rows.flatMap((row) => Array.from({ length }, (_, n) => [...row, n])),
    [[]],
  );

/** A value of one key and one of another, as positions. */
const pairOf = (a: number, of: number, b: number, and: number) =>
  a < b ? `${a}:${of} ${b}:${and}` : `${b}:${and} ${a}:${of}`;

/**
 * Builds rows until every pair is in one. A row begins with the first pair that is in none yet. Each other key gets the
 * value that adds the most pairs (the greedy method of AETG, Cohen et al. 1997, without its random candidates).
 */
function coverPairs(lengths: readonly number[]): number[][] {
  const open = new Map<string, [number, number][]>();
  for (let a = 0; a < lengths.length; a++)
    for (let b = a + 1; b < lengths.length; b++)
      for (const [of, and] of allOf([lengths[a] as number, lengths[b] as number]) as [number, number][])
        open.set(pairOf(a, of, b, and), [
          [a, of],
          [b, and],
        ]);
  const rows: number[][] = [];
  for (let [pair] = open.values(); pair; [pair] = open.values()) {
    const row: (number | undefined)[] = lengths.map(() => undefined);
    for (const [key, value] of pair) row[key] = value;
    for (const [key, length] of lengths.entries()) row[key] ??= bestFor(key, length, row, open, rows.length);
    for (const [a, of] of row.entries())
      for (let b = a + 1; b < row.length; b++) open.delete(pairOf(a, of as number, b, row[b] as number));
    rows.push(row as number[]);
  }
  return rows;
}

/** The value of `key` that adds the most pairs to `row`; of equal ones another one in each row. */
function bestFor(
  key: number,
  length: number,
  row: readonly (number | undefined)[],
  open: ReadonlyMap<string, unknown>,
  turn: number,
): number {
  const gain = (value: number) =>
    row.filter((other, n) => other !== undefined && open.has(pairOf(key, value, n, other))).length;
  const candidates = Array.from({ length }, (_, n) => (n + turn) % length);
  return candidates.reduce((best, value) => (gain(value) > gain(best) ? value : best));
}
