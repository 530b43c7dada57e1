/** A mistyped name differs from the one that is meant by this many letters at most. */
const EDITS_MAX = 2;
/** Shorter names differ by so little from words that mean something else. */
const LENGTH_MIN = 7;

/** Which of `names` somebody meant who wrote `given`; undefined when none is near. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  if (given.length < LENGTH_MIN) return undefined;
  const near = names
    .map((name) => ({ name, edits: editsBetween(given.toUpperCase(), name.toUpperCase()) }))
    .filter(({ edits }) => edits <= EDITS_MAX);
  return near.toSorted((a, b) => a.edits - b.edits)[0]?.name;
}

/** How many letters have to be put in, left out or replaced to make `b` of `a` (Levenshtein's distance). */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1];
    for (let to = 1; to <= b.length; to++) {
      const replaced = (row[to - 1] as number) + (letter === b[to - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[to] as number) + 1, (next[to - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
