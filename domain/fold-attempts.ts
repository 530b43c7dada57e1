/** Consecutive attempts that ended alike, oldest first: the same status code (null: no answer) and the same text. */
export type AttemptGroup<Attempt> = { first: Attempt; last: Attempt; attempts: readonly Attempt[] };

/** Groups consecutive attempts that ended alike. `attempts` are in the order in which they were made. */
export function foldAttempts<Attempt extends { statusCode: number | null; errorText: string }>(
  attempts: readonly Attempt[],
): AttemptGroup<Attempt>[] {
  const groups: [Attempt, ...Attempt[]][] = [];
  for (const attempt of attempts) {
    const group = groups.at(-1);
    const isAlike = group?.[0].statusCode === attempt.statusCode && group[0].errorText === attempt.errorText;
    if (group && isAlike) group.push(attempt);
    else groups.push([attempt]);
  }
  return groups.map((group) => ({ first: group[0], last: group.at(-1) ?? group[0], attempts: group }));
}
