import { expect, it } from "vitest";
import { requestsLeft } from "#dispatcher/sending/requests-left.ts";

it.each([
  ["max=5", 5],
  ["timeout=5, max=100", 100],
  ["max=0", 0],
  ['MAX = "7" ; timeout=3', 7],
  ["max=9, max=4", 4],
  [["timeout=5, max=8", "max=3"], 3],
  ["max=99999999999999999999999", 1e23],
])("an answer with Keep-Alive %j leaves %d more requests on its connection", (header, left) => {
  expect(requestsLeft(header)).toBe(left);
});

it.each([undefined, "", "timeout=5", "max", "max=", "max=many", "max=-1", "climax=1", "timeout=max"])(
  "an answer with Keep-Alive %j leaves any number of requests",
  (header) => {
    expect(requestsLeft(header)).toBe(Number.POSITIVE_INFINITY);
  },
);
