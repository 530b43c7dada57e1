import { expect, it } from "vitest";
import { parseTargetPolicy } from "#domain/target-url.ts";
import { trialTarget } from "#domain/trial.ts";

it.each([
  ["https://stopwatch.example.com", "", "", "https://stopwatch.example.com/try/receiver"],
  ["https://localhost:8443", "localhost:8443", "", "https://localhost:8443/try/receiver"],
  ["https://localhost:8443", "", "", null],
  ["https://10.0.0.7", "", "", null],
  ["https://stopwatch.example.com:8443", "", "", null],
  ["https://stopwatch.example.com", "", "example.com", null],
  ["http://stopwatch.example.com", "", "", null],
  ["http://localhost:3000", "http://localhost:3000", "", null],
])("of an installation at %s, with %j allowed and %j denied, trials go to %s", (baseUrl, allow, deny, expected) => {
  expect(trialTarget(baseUrl, parseTargetPolicy(allow, deny))).toBe(expected);
});
