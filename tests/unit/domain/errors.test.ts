import { describe, expect, test } from "vitest";
import { AppError, ERROR_STATUS, SignInTooOld } from "#domain/errors.ts";

// @ts-expect-error: the query makes it another module with the same text
const copy: typeof import("#domain/errors.ts") = await import("../../../domain/errors.ts?copy");

describe("AppError", () => {
  test("has for every code the status that the contract gives it", () => {
    expect(ERROR_STATUS).toEqual({
      VALIDATION: 400,
      UNAUTHORIZED: 401,
      QUOTA_EXCEEDED: 402,
      FORBIDDEN: 403,
      NOT_FOUND: 404,
      METHOD_NOT_ALLOWED: 405,
      CONFLICT: 409,
      PAYLOAD_TOO_LARGE: 413,
      UNSUPPORTED_MEDIA_TYPE: 415,
      RATE_LIMITED: 429,
      INTERNAL: 500,
      UNAVAILABLE: 503,
    });
  });

  test("carries its public message, and its cause apart from that", () => {
    const cause = new Error("secret of a library");
    const error = new AppError("VALIDATION", "The body is not valid.", {
      cause,
      details: [{ path: "fireAt", message: "is in the past" }],
      headers: { "Retry-After": "1" },
    });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      code: "VALIDATION",
      message: "The body is not valid.",
      publicMessage: "The body is not valid.",
      details: [{ path: "fireAt", message: "is in the past" }],
      headers: { "Retry-After": "1" },
      cause,
    });
  });

  test("without options has no cause, details or headers, and has the name of its class", () => {
    class Narrower extends AppError {}
    const error = new Narrower("NOT_FOUND", "No such schedule.");
    expect("cause" in error).toBe(false);
    expect(error.details).toBeUndefined();
    expect(error.headers).toBeUndefined();
    expect(error.name).toBe("Narrower");
  });
});

test("an error of another copy of its class is recognised, as one of its kind alone", () => {
  expect(copy.AppError).not.toBe(AppError);
  const [error, special] = [new copy.AppError("CONFLICT", "x"), new copy.SignInTooOld()];
  expect([error instanceof AppError, error instanceof SignInTooOld]).toEqual([true, false]);
  expect([special instanceof AppError, special instanceof SignInTooOld]).toEqual([true, true]);
  for (const other of [new Error("x"), { constructor: AppError }, null, "AppError", undefined]) {
    expect(other instanceof AppError).toBe(false);
  }
});
