import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRedirectPath } from "#domain/redirect-path.ts";

describe("a path to return to", () => {
  it.each(["/", "/account", "/schedules?status=dead&q=%2F", "/logs#top", "/a//b", "/v1x", "/~ada"])(
    "may be %s",
    (path) => {
      expect(parseRedirectPath(path)).toBe(path);
    },
  );

  it("is written as a browser reads it", () => {
    expect(parseRedirectPath("/a/../b?x=1")).toBe("/b?x=1");
  });

  it("never leads a browser to another host, whatever characters it has", () => {
    const piece = fc.constantFrom(
      "/",
      "\\",
      ".",
      "..",
      "@",
      ":",
      "?",
      "#",
      "%2f",
      "%5c",
      "\t",
      "\n",
      " ",
      "evil.example",
      "https:",
      "a",
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join("")}`),
    );
    fc.assert(
      fc.property(text, (input) => {
        const path = parseRedirectPath(input);
        if (path === null) return;
        expect(path).toMatch(/^\/(?![/\\])/);
        for (const base of ["https://own.example/login", "http://localhost:3000/v1/auth/magic/verify"]) {
          expect(new URL(path, base).origin).toBe(new URL(base).origin);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    "",
    "account",
    "//a",
    "/\\a",
    "/.//a",
    "/..//a",
    "https://a",
    "/v1",
    "/V1/me",
    "/x/../v1/me",
    "/a b",
    "/é",
    "/a\\b",
  ])("may not be %j", (text) => {
    expect(parseRedirectPath(text)).toBeNull();
  });
});
