import { expect, it } from "vitest";
import { judgeSubject } from "#scripts/commits/judge-subject.ts";

it.each([
  "turn queue: explain why the index stays after a drop",
  "README: name no file that is not there",
  "GET /v1/usage: answer with the limits of the plan",
  "deps: bump the npm group with 3 updates",
  `docs: ${"é".repeat(60)} wide`,
  "fixup of tests: wait for the second claim",
  'Revert "turn queue: bucket heads by due time"',
])("a subject that names its part and what changes is right: %s", (subject) => {
  expect(judgeSubject(subject)).toEqual([]);
});

it.each([
  ["x", ["does not begin with its part"]],
  ["", ["does not begin with its part"]],
  ["Fix the build", ["does not begin with its part"]],
  ["docs:no space", ["does not begin with its part"]],
  [": nothing before it", ["does not begin with its part"]],
  ["docs:", ["does not begin with its part"]],
  ["docs: x", ["does not say what changes"]],
  ["docs: wip on the quickstart", ["does not say what changes"]],
  ["wip", ["unfinished"]],
  ["WIP: docs: more", ["unfinished"]],
  ["[wip] docs: more", ["unfinished"]],
  ["fixup! docs: name the port", ["squashed"]],
  ["squash! docs: name the port", ["squashed"]],
  ["amend! docs: name the port", ["squashed"]],
  [`${"a".repeat(41)}: is moved`, ["more than 40"]],
  [`docs: ${"é".repeat(62)} wide`, ["has 73 characters"]],
  ["a".repeat(73), ["does not begin with its part", "has 73 characters"]],
])("a subject that is wrong says what is wrong: %s", (subject, faults) => {
  expect(judgeSubject(subject)).toEqual(faults.map((fault) => expect.stringContaining(fault)));
});
