import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeJsonProblem } from "#server/http/json-problem.ts";

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe("describeJsonProblem", () => {
  it.each([
    ["{", "at position 1 (line 1, column 2): the text ends unexpectedly"],
    ['{"a":1,}', "at position 7 (line 1, column 8): trailing comma before a closing bracket"],
    ["[1,]", "at position 3 (line 1, column 4): a value is missing, or there is a trailing comma"],
    ["{'a':1}", 'at position 1 (line 1, column 2): names and strings must be in double quotes (")'],
    ["{a:1}", "at position 1 (line 1, column 2): a name in double quotes is missing"],
    ['{\n  "a": 1\n  "b": 2\n}', "at position 13 (line 3, column 3): a comma or a closing bracket is missing"],
    ['{\r\n"a":\r\nNone}', "at position 9 (line 3, column 1): expected a value"],
    ['{"a" 1}', "at position 5 (line 1, column 6): a colon is missing after a name"],
    ['{"a":"x\ny"}', "at position 7 (line 1, column 8): line breaks and control characters in strings"],
    ['{"a":"\\x"}', "at position 6 (line 1, column 7): unknown escape sequence"],
    ['{"a":"x', "at position 7 (line 1, column 8): the text ends inside a string"],
    ["{} {}", "at position 3 (line 1, column 4): unexpected text after the end"],
    ['{"a":1 // one\n}', "at position 7 (line 1, column 8): JSON has no comments"],
    ["url=https", "at position 0 (line 1, column 1): expected a value"],
    ["[1}", "at position 2 (line 1, column 3): a comma or a closing bracket is missing, or the brackets do not match"],
    ["[01]", "at position 2 (line 1, column 3): a comma"],
  ])("explains %j as %s", (text, said) => {
    expect(describeJsonProblem(text)).toContain(said);
  });

  it("finds a problem in exactly the texts that JSON.parse refuses", () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), fc.constantFrom("", ..."{}[],:\"'\\/ \n\u0000-0.1eEtnu9"))
      .map(([text, at, removed, inserted]) => {
        const from = at % (text.length + 1);
        return text.slice(0, from) + inserted + text.slice(from + removed);
      });
    fc.assert(
      fc.property(fc.oneof(broken, fc.string(), fc.json()), (text) => {
        expect(describeJsonProblem(text) === undefined, text).toBe(isJson(text));
      }),
      { numRuns: 5_000 },
    );
  });

  it("is quick for millions of brackets and for one long string, and repeats none of the text", () => {
    expect(describeJsonProblem("[".repeat(5_000_000))).toContain("position 5000000");
    expect(describeJsonProblem(`"${"a".repeat(20_000_000)}`)).toContain("position 20000001");
    expect(describeJsonProblem('{"payload":"c4n4ry" c4n4ry}')).not.toContain("c4n4ry");
  });
});
