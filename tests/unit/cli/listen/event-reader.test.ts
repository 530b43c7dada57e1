import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventReader } from "../../../../cli/src/listen/event-reader.ts";

const read = (...chunks: (string | Buffer)[]) => {
  const reader = new EventReader();
  return chunks.flatMap((chunk) => reader.take(Buffer.from(chunk as string)));
};

describe("an event stream", () => {
  test("counts an event only once its empty line has arrived", () => {
    expect(read("event: over\ndata: {}\n")).toEqual([]);
    expect(read("event: over\ndata: {}\n", "\n")).toEqual([{ event: "over", data: "{}" }]);
  });

  test.each([
    [
      "comments, ids, retries and unknown fields are skipped",
      ": beat\n\nid: 7\nretry: 5\nfoo: x\nfoo\ndata: a\n\n",
      ["a"],
    ],
    ["lines of data are joined by line feeds", "data: a\ndata:b\ndata\n\n", ["a\nb\n"]],
    ["one blank after the colon is dropped, not two", "data:  a\n\n", [" a"]],
    ["a block without data is no event", "event: ready\n\ndata: a\n\n", ["a"]],
    ["lines end with CR, LF or both", "data: a\r\rdata: b\r\n\r\ndata: c\n\n", ["a", "b", "c"]],
    ["a byte order mark counts at the start only", "\uFEFFdata: a\n\n\uFEFFdata: b\n\ndata: c\n\n", ["a", "c"]],
  ])("%s", (_title, text, expected) => {
    expect(read(text).map(({ data }) => data)).toEqual(expected);
  });

  test("reads the same wherever its bytes are cut", () => {
    const line = fc.constantFrom("data: ä€😀", "data", "data: x", "event: over", ": c", "id: 1", "", "");
    const end = fc.constantFrom("\n", "\r", "\r\n");
    const text = fc
      .array(
        fc.tuple(line, end).map((parts) => parts.join("")),
        { maxLength: 20 },
      )
      .map((all) => all.join(""));
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 8 }), (whole, cuts) => {
        const bytes = Buffer.from(whole);
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((to, index) => bytes.subarray(at[index], to));
        expect(read(...pieces)).toEqual(read(bytes));
        expect(read(...[...bytes].map((byte) => Buffer.of(byte)))).toEqual(read(bytes));
      }),
    );
  });

  test("is refused when its bytes are not UTF-8", () => {
    expect(() => read(Buffer.concat([Buffer.from("data: "), Buffer.of(0xff), Buffer.from("\n")]))).toThrow();
  });

  test("is refused when an event outgrows 8 MiB, in one line or in many", () => {
    const megabyte = "x".repeat(1024 * 1024);
    expect(() => read("data: ", ...Array(9).fill(megabyte))).toThrow("8 MiB");
    expect(() => read(...Array(9).fill(`data: ${megabyte}\n`))).toThrow("8 MiB");
  });
});
