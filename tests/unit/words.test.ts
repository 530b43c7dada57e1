import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openApiDocument } from "#server/reference/openapi.ts";

/** One word for each thing: what is said, and what is not said instead. */
const WORDS: readonly { say: string; not: RegExp }[] = [
  { say: "due, or sent", not: /\b(fires|fired|leaves|intended)\b/i },
  { say: "sent", not: /\b(left|leave) (within|at its|after|early|late|ahead)\b/i },
  { say: "late", not: /\b(lateness|offsets?)\b/i },
  { say: "API requests", not: /\bAPI calls?\b/i },
  { say: "the outgoing rate, or outgoing requests per second", not: /\bcalls (a|per) second\b/i },
  { say: "automatically", not: /\bby (itself|themselves)\b/i },
  { say: "skipped", not: /\bleft alone\b/i },
  { say: "Scheduled", not: /\bNot stored\b/ },
  { say: "Actions", not: /What can be done/ },
  { say: "Send a new link", not: /Have a new one sent/ },
  { say: "That range does not exist.", not: /a range that there is not/ },
  { say: "Cancelled schedules still count toward your quota.", not: /It gives nothing back/ },
];

// The reference of the API has the words of the API.
// Each page in the states of its tree, as a screen reader has it.
test.each(globSync("tests/e2e/trees/*.txt").filter((file) => !file.includes("docs-api")))(
  "%s has one word for each thing",
  (file) => {
    expect(wrongWords(readFileSync(file, "utf8").split("\n"))).toEqual([]);
  },
);

test.each(globSync("mail/*.ts"))("the texts of %s have one word for each thing", (file) => {
  const texts = readFileSync(file, "utf8").match(/(["'`])(?:\\.|(?!\1)[^\\])*\1/gs) ?? [];
  expect(wrongWords(texts)).toEqual([]);
});

test("the descriptions of the API say late and requests, not lateness and calls", () => {
  const described = JSON.stringify(openApiDocument("https://stopwatch.example.com"));
  expect(described.match(/[^"]*\b(lateness|calls (a|per) (second|minute))\b[^"]*/gi) ?? []).toEqual([]);
});

/** What stands there, and what to say instead. */
function wrongWords(lines: readonly string[]): string[] {
  return lines
    .filter((line) => !line.trimStart().startsWith("- /url:"))
    .flatMap((line) => WORDS.filter(({ not }) => not.test(line)).map(({ say }) => `${line.trim()}: say ${say}`));
}
