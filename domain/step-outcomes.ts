import type { StepCount } from "./overview.ts";

/** How an attempt ended: the class of its answer's status code, no answer, or not known because it was interrupted. */
export const OUTCOME_CLASSES = ["2xx", "3xx", "4xx", "5xx", "none", "interrupted"] as const;

export type OutcomeClass = (typeof OUTCOME_CLASSES)[number];

/** How many attempts of a step ended in each way. */
export type StepOutcomes = Record<OutcomeClass, number>;

/** How the attempts of each step ended, the oldest step first. */
export function stepOutcomes(counts: readonly StepCount[], steps: number): StepOutcomes[] {
  const all = Array.from({ length: steps }, (): StepOutcomes => ({ ...NONE }));
  for (const { step, kind, bucket, n } of counts) {
    const outcomes = all[step];
    if (kind === "outcome" && outcomes) outcomes[classOf(bucket)] += n;
  }
  return all;
}

const NONE: StepOutcomes = { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0, none: 0, interrupted: 0 };

// `bucket` is the first digit of the status code, 0 for none, -1 for interrupted. 1xx is never a final answer.
function classOf(bucket: number): OutcomeClass {
  if (bucket === -1) return "interrupted";
  return OUTCOME_CLASSES.find((name) => name.startsWith(String(bucket))) ?? "none";
}
