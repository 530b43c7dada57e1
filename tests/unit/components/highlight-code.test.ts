import { expect, test } from "vitest";
import { RECEIVER_SAMPLES } from "#components/signing/receiver-code.ts";
import { codeText } from "#components/ui/code-piece.ts";
import { highlightCode } from "#components/ui/highlight-code.ts";

test.each(RECEIVER_SAMPLES)(
  "highlighting changes no character of the code for $label, and styles it",
  ({ language, code }) => {
    const pieces = highlightCode(language, code);
    expect(codeText(pieces)).toBe(code);
    const styles = new Set(pieces.map((piece) => (typeof piece === "string" ? undefined : piece.as)));
    expect(styles).toContain("keyword");
    expect(styles).toContain("string");
  },
);

test("an instant stays an instant, whatever the language makes of what it stands in", () => {
  const instant = { text: '"30s"', as: "instant" } as const;
  expect(highlightCode("sh", ['curl -d \'{ "fireIn": ', instant, " }'"])).toEqual([
    "curl -d ",
    { text: '\'{ "fireIn": ', as: "string" },
    instant,
    { text: " }'", as: "string" },
  ]);
});

test.each([
  ["of no known language", "constructor", "if 'x'"],
  ["without a language", "", "<b>&amp;</b>"],
  ["of a pair of UTF-16 units", "json", '{"a": "😀"}'],
  ["that is empty", "sh", ""],
])("code %s keeps its text", (_, language, code) => {
  expect(codeText(highlightCode(language, code))).toBe(code);
});
