import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCsv } from "../../../../cli/src/import/read-csv.ts";
import { UnreadableInput } from "../../../../cli/src/import/unreadable-input.ts";

describe("CSV of an import", () => {
  it("reads quotes, doubled quotes, commas and line breaks within fields", () => {
    expect(texts('a,b\n"1,2","say ""hi"""\n"two\nlines",\n')).toEqual([
      ["a", "b"],
      ["1,2", 'say "hi"'],
      ["two\nlines", ""],
    ]);
  });

  it("takes LF and CRLF, with and without one at the end, and skips empty lines", () => {
    for (const end of ["\n", "\r\n"]) {
      const lines = [["a", "b"].join(","), "", "1,2"];
      expect(texts(lines.join(end))).toEqual(texts(lines.join(end) + end + end));
      expect(texts(lines.join(end))).toEqual([
        ["a", "b"],
        ["1", "2"],
      ]);
    }
  });

  it("keeps a record of one empty field in quotes", () => {
    expect(texts('a\n""\n\nx')).toEqual([["a"], [""], ["x"]]);
  });

  it("says where each field begins, after line breaks within fields too", () => {
    expect([...readCsv('a,bb\n"x\ny",2\r\nlong,4')].flat()).toEqual([
      { text: "a", line: 1, column: 1 },
      { text: "bb", line: 1, column: 3 },
      { text: "x\ny", line: 2, column: 1 },
      { text: "2", line: 3, column: 4 },
      { text: "long", line: 4, column: 1 },
      { text: "4", line: 4, column: 6 },
    ]);
  });

  it.each([
    ['a,b\n1,"open\n2,3\n', 2, 3, "this quote is never closed"],
    ['a\n"', 2, 1, "this quote is never closed"],
    ['a\n"x"y\n', 2, 4, "a comma or the end of the line must follow the closing quote"],
    ['a\n"x\ny"z\n', 3, 3, "a comma or the end of the line must follow the closing quote"],
    ['a,b\n1,x"y\n', 2, 4, "a field with a quote must be in quotes"],
    ["a,b\r1,2\r", 1, 4, "a line must end with LF or CRLF"],
  ])("refuses %j at line %i, column %i", (text, line, column, message) => {
    const problem = problemOf(text);
    expect([problem.line, problem.column]).toEqual([line, column]);
    expect(problem.message).toContain(message);
  });

  it("reads back whatever was written in quotes", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.string({ unit: "binary" }), { minLength: 1 }), { minLength: 1 }), (records) => {
        const quoted = records.map((record) => record.map((one) => `"${one.replaceAll('"', '""')}"`).join(","));
        expect(texts(quoted.join("\r\n"))).toEqual(records);
      }),
    );
  });
});

function texts(text: string): string[][] {
  return [...readCsv(text)].map((record) => record.map((field) => field.text));
}

function problemOf(text: string): UnreadableInput {
  try {
    texts(text);
  } catch (error) {
    if (error instanceof UnreadableInput) return error;
    throw error;
  }
  throw new Error("it was read");
}
