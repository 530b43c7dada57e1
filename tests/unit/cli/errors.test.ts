import { describe, expect, it } from "vitest";
import { describeError } from "../../../cli/src/errors/describe-error.ts";
import { UsageError } from "../../../cli/src/errors/usage-error.ts";
import { StopwatchError } from "../../../sdk/src/index.ts";

describe("the exit code of an answer", () => {
  it.each([
    ["VALIDATION", 400, 2],
    ["UNAUTHORIZED", 401, 3],
    ["QUOTA_EXCEEDED", 402, 5],
    ["FORBIDDEN", 403, 3],
    ["NOT_FOUND", 404, 4],
    ["METHOD_NOT_ALLOWED", 405, 2],
    ["CONFLICT", 409, 4],
    ["PAYLOAD_TOO_LARGE", 413, 5],
    ["UNSUPPORTED_MEDIA_TYPE", 415, 2],
    ["RATE_LIMITED", 429, 5],
    ["INTERNAL", 500, 5],
    ["UNAVAILABLE", 503, 5],
    ["INVALID_KEY", undefined, 3],
    ["INVALID_ARGUMENT", undefined, 2],
    ["NETWORK", undefined, 5],
    ["TIMEOUT", undefined, 5],
    ["BAD_RESPONSE", 200, 5],
  ])("%s is %s, with what to do", (code, status, exitCode) => {
    const described = describeError(new StopwatchError(code, "It is so", { status }));
    expect(described.exitCode).toBe(exitCode);
    expect(described.text).toMatch(new RegExp(`^stopwatch: It is so \\(${code}\\)\n  Fix: .+\\.$`));
  });

  it.each([
    [404, 4],
    [409, 4],
    [418, 2],
    [429, 5],
    [503, 5],
  ])("of a newer service follows its status %s", (status, exitCode) => {
    expect(describeError(new StopwatchError("toString", "New", { status })).exitCode).toBe(exitCode);
  });
});

it("names the request, how long to wait, why the network failed, and the option of each field", () => {
  const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  const details = [
    { path: "fireAt", message: "must be in the future" },
    { path: "constructor", message: "is unknown" },
  ];
  const error = new StopwatchError("RATE_LIMITED", "Too many", {
    status: 429,
    requestId: "req-1",
    retryAfterMs: 1_500,
    details,
    cause,
  });
  expect(describeError(error).text).toBe(
    [
      "stopwatch: Too many: ECONNREFUSED (RATE_LIMITED)",
      "  --at (fireAt): must be in the future",
      "  constructor: is unknown",
      "  Fix: try again later. The service asks to wait 2 s.",
      "  Request id: req-1",
    ].join("\n"),
  );
});

it("shows no character of the service that a terminal would obey", () => {
  const error = new StopwatchError("NOT_FOUND", "a\u001b[2Jb\nc\u009b1m\u202ed", { status: 404, requestId: "\u0007" });
  expect(describeError(error).text).toMatch(/^stopwatch: a.\[2Jb c.1m.d \(NOT_FOUND\)\n/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(describeError(error).text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});

it("shows the verb's example with a usage error that has none of its own", () => {
  expect(describeError(new UsageError("--to is wrong"), "stopwatch list")).toEqual({
    text: "stopwatch: --to is wrong\n  Example: stopwatch list",
    exitCode: 2,
  });
});
