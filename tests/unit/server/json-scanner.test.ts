import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TextPosition } from "#server/http/json-problem.ts";
import { DEPTH_MAX, JsonScanner, type JsonVisitor } from "#server/http/json-scanner.ts";

const DEAF: JsonVisitor = { valueBegins: () => undefined };

/** Scans a text in pieces of `bytesMax`. */
function scan(text: string | Uint8Array, visitor = DEAF, bytesMax = Number.POSITIVE_INFINITY) {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  const scanner = new JsonScanner(visitor);
  const step = Math.min(bytesMax, bytes.length) || 1;
  for (let from = 0; from < bytes.length; from += step) {
    const problem = scanner.push(bytes.subarray(from, from + step));
    if (problem !== undefined) return problem;
  }
  return scanner.end();
}

function described(text: string): string {
  const problem = scan(text);
  if (problem === undefined || !("at" in problem)) return String(problem);
  const position = new TextPosition();
  position.pass(Buffer.from(text).subarray(0, problem.at));
  return `at ${position}: ${problem.message}`;
}

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const broken = fc
  .tuple(fc.json(), fc.nat(), fc.nat(3), fc.constantFrom("", ..."{}[],:\"'\\/ \n\u0000-0.1eEtnu9é😀"))
  .map(([text, at, removed, inserted]) => {
    const from = at % (text.length + 1);
    return (text.slice(0, from) + inserted + text.slice(from + removed)).toWellFormed();
  });
const numbers = fc.string({ unit: fc.constantFrom(..."-+0129.eE"), maxLength: 8 });
const anyText = fc.oneof(broken, numbers, fc.string({ unit: "grapheme" }), fc.json());

describe("the JSON scanner", () => {
  it.each([
    ["{", "at position 1 (line 1, column 2): the text ends unexpectedly"],
    ['{"a":1,}', "at position 7 (line 1, column 8): trailing comma before a closing bracket"],
    ["[1,]", "at position 3 (line 1, column 4): a value is missing, or there is a trailing comma"],
    ["{'a':1}", 'at position 1 (line 1, column 2): names and strings must be in double quotes (")'],
    ["{“a”:1}", 'at position 1 (line 1, column 2): names and strings must be in double quotes (")'],
    ["{a:1}", "at position 1 (line 1, column 2): a name in double quotes is missing"],
    ['{\n  "a": 1\n  "b": 2\n}', "at position 13 (line 3, column 3): a comma or a closing bracket is missing"],
    ['{\r\n"a":\r\nNone}', "at position 9 (line 3, column 1): expected a value"],
    ['{"a" 1}', "at position 5 (line 1, column 6): a colon is missing after a name"],
    ['{"a":"x\ny"}', "at position 7 (line 1, column 8): line breaks and control characters in strings"],
    ['{"a":"\\x"}', "at position 6 (line 1, column 7): unknown escape sequence"],
    ['{"a":"\\u12x4"}', "at position 6 (line 1, column 7): unknown escape sequence"],
    ['{"a":"x', "at position 7 (line 1, column 8): the text ends inside a string"],
    ["{} {}", "at position 3 (line 1, column 4): unexpected text after the end"],
    ['{"a":1 // one\n}', "at position 7 (line 1, column 8): JSON has no comments"],
    ["url=https", "at position 0 (line 1, column 1): expected a value"],
    ["[1}", "at position 2 (line 1, column 3): a comma or a closing bracket is missing, or the brackets do not match"],
    ["[01]", "at position 2 (line 1, column 3): a comma"],
    ["[nul]", "at position 1 (line 1, column 2): expected a value"],
    ['["é😀" 1]', "at position 7 (line 1, column 8): a comma"],
  ])("explains %j as %s", (text, said) => {
    expect(described(text)).toContain(said);
  });

  it("finds a problem in exactly the texts that JSON.parse refuses, however they are cut into pieces", () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(1, 2, 3, 7, 1_000), (text, bytesMax) => {
        const problem = scan(text, DEAF, bytesMax);
        expect(problem === undefined, text).toBe(isJson(text));
      }),
      { numRuns: 10_000 },
    );
  });

  it("reports every value that JSON.parse finds, with its place, and every name", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3), fc.constantFrom(1, 5, 1_000), (value, indent, bytesMax) => {
        const bytes = Buffer.from(JSON.stringify(value, null, indent));
        const begun: number[] = [];
        const found: { depth: number; value: unknown }[] = [];
        const names: string[] = [];
        scan(
          bytes,
          {
            valueBegins(_depth, at) {
              begun.push(at);
              return undefined;
            },
            valueEnds(depth, to) {
              found.push({ depth, value: JSON.parse(bytes.toString("utf8", begun.pop(), to)) });
            },
            nameEnds(_depth, from, to) {
              names.push(JSON.parse(bytes.toString("utf8", from, to)));
            },
          },
          bytesMax,
        );
        const expected: typeof found = [];
        const expectedNames: string[] = [];
        const walk = (one: unknown, depth: number) => {
          const parsed = typeof one === "object" && one !== null ? Object.entries(one) : [];
          for (const [name, inner] of parsed) {
            if (!Array.isArray(one)) expectedNames.push(name);
            walk(inner, depth + 1);
          }
          expected.push({ depth, value: one });
        };
        walk(JSON.parse(bytes.toString()), 0);
        expect(found).toEqual(expected);
        expect(names).toEqual(expectedNames);
      }),
    );
  });

  it("allows 64 levels of brackets and refuses the 65th when it opens", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    expect(scan(nested(DEPTH_MAX))).toBeUndefined();
    expect(scan("[".repeat(DEPTH_MAX + 1))).toEqual({
      excess: { path: "", message: "must be nested at most 64 levels deep" },
    });
    expect(scan('{"a":'.repeat(DEPTH_MAX + 1))).toMatchObject({ excess: { path: "" } });
    // Opened and closed again, brackets are not nested.
    expect(scan(`[${"[],".repeat(1_000)}{}]`)).toBeUndefined();
  });

  it("skips a byte order mark at the start, and nowhere else", () => {
    for (const bytesMax of [1, 2, 3, 100]) {
      expect(scan("\ufeff{}", DEAF, bytesMax)).toBeUndefined();
      expect(scan("{\ufeff}", DEAF, bytesMax)).toMatchObject({ at: 1 });
      expect(scan(Buffer.from([0xef, 0xbb, 0x7b, 0x7d]), DEAF, bytesMax)).toMatchObject({ at: 0 });
    }
  });

  it("repeats none of the text in a problem", () => {
    expect(described('{"payload":"c4n4ry" c4n4ry}')).not.toContain("c4n4ry");
  });
});
