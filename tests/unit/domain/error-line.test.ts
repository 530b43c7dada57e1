import { expect, it } from "vitest";
import { errorLine } from "#domain/error-line.ts";

it.each([
  ["settlement window closed", "settlement window closed"],
  ["first\nsecond", "first"],
  ["first\r\nsecond", "first"],
  ["\n \t\r\n  after blank lines  \nrest", "after blank lines"],
  ["first\u2028second", "first"],
  ["first\u0085second", "first"],
])("of %j the first line that is not blank is %j", (text, line) => expect(errorLine(text)).toBe(line));

it.each(["", " ", "\r\n\n"])("%j has no line", (text) => expect(errorLine(text)).toBeNull());

it("a line is cut to 200 characters, and never within one", () => {
  expect(errorLine("a".repeat(201))).toBe("a".repeat(200));
  expect(errorLine("😀".repeat(300))).toBe("😀".repeat(200));
});
