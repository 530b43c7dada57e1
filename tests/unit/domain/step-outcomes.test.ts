import { expect, it } from "vitest";
import type { StepCount } from "#domain/overview.ts";
import { stepOutcomes } from "#domain/step-outcomes.ts";

const count = (step: number, kind: StepCount["kind"], bucket: number, n: number) => ({
  step,
  kind,
  bucket,
  n,
  minMs: null,
  maxMs: null,
});
const NONE = { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0, none: 0, interrupted: 0 };

it("each step has the number of attempts by class of answer, and a step without any has zeros", () => {
  const counts = [
    ...[count(0, "outcome", 2, 40), count(0, "outcome", 5, 3), count(0, "outcome", 3, 1)],
    ...[count(2, "outcome", 0, 2), count(2, "outcome", -1, 4), count(2, "outcome", 4, 5)],
    ...[count(2, "offset", 2, 9), count(7, "outcome", 2, 1)],
  ];
  expect(stepOutcomes(counts, 3)).toEqual([
    { ...NONE, "2xx": 40, "5xx": 3, "3xx": 1 },
    NONE,
    { ...NONE, none: 2, interrupted: 4, "4xx": 5 },
  ]);
});
