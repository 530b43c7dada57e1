/** Patterns of common mistakes, each with what to do about it. */
export type Hints = readonly (readonly [RegExp, string])[];

/** The error message for a malformed text: `form`, then the first hint that applies. Does not quote the text. */
export function describeFormProblem(form: string, hints: Hints, text: string): string {
  const hint = hints.find(([pattern]) => pattern.test(text))?.[1];
  return hint === undefined ? form : `${form}; ${hint}`;
}
