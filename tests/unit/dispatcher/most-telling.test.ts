import { expect, it } from "vitest";
import { TimedOut } from "#dispatcher/connections/address-race.ts";
import { mostTelling } from "#dispatcher/connections/most-telling.ts";

const failed = (address: string, code: string) => ({
  address,
  error: code === "silence" ? new TimedOut() : Object.assign(new Error(code), { code }),
});

it.each([
  [["ENETUNREACH", "ECONNREFUSED"], "ECONNREFUSED"],
  [["silence", "ECONNREFUSED"], "ECONNREFUSED"],
  [["silence", "ENETUNREACH"], "silence"],
  [["EHOSTUNREACH", "silence"], "silence"],
  [["ENETUNREACH", "EHOSTUNREACH"], "EHOSTUNREACH"],
  [["ECONNRESET", "ECONNREFUSED"], "ECONNRESET"],
  [["EPERM", "silence"], "silence"],
  [["EMFILE", "ECONNREFUSED"], "ECONNREFUSED"],
  [["EMFILE", "EPERM"], "EPERM"],
  [["ECONNREFUSED"], "ECONNREFUSED"],
])("of %j at the addresses of a target, the error says %s", (codes, told) => {
  const failures = codes.map((code, n) => failed(`192.0.2.${n}`, code));
  const error = mostTelling(failures) as Error & { code?: string };
  expect(error instanceof TimedOut ? "silence" : error.code).toBe(told);
});
