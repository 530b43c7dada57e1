import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outlineQuery } from "#domain/query-outline.ts";

describe("the outline of a query", () => {
  it.each([
    ["SELECT * FROM a WHERE b = 'it''s' AND c = 12.5e3 AND d = $1", "SELECT * FROM a WHERE b = ? AND c = ? AND d = $1"],
    ["UPDATE a\n  SET b = E'it\\'s secret', \"1 c\" = true", 'UPDATE a SET b = ?, "1 c" = true'],
    ["SELECT $$ secret $$, $x$ a $$ b $x$, U&'\\0041', b1, 0x1F", "SELECT ?, ?, ?, b1, ?"],
    ["SELECT 1 -- secret\nFROM a /* secret /* inner */ secret */ WHERE b", "SELECT ? FROM a WHERE b"],
    ["SELECT a FROM b WHERE c = 'cut by the serv", "SELECT a FROM b WHERE c = ?"],
    ["SELECT $q$ cut by the serv", "SELECT ?"],
    ["SELECT 1 /* cut by the serv", "SELECT ?"],
    ["", ""],
  ])("of %j is %j", (query, outline) => expect(outlineQuery(query)).toBe(outline));

  it("has no value of the query in it, whatever the value", () => {
    const secret = fc.string({ unit: "binary" }).map((text) => `Zq${text}Zq`);
    const quote = fc.constantFrom<(text: string) => string>(
      (text) => `'${text.replaceAll("'", "''")}'`,
      (text) => `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`,
      (text) => `$t$${text.replaceAll("$t$", "")}$t$`,
    );
    fc.assert(
      fc.property(secret, quote, fc.nat(40), (text, quoted, cut) => {
        const query = `SELECT a FROM b WHERE c = ${quoted(text)} AND d`;
        expect(outlineQuery(query)).toBe("SELECT a FROM b WHERE c = ? AND d");
        expect(outlineQuery(query.slice(0, 26 + cut))).not.toContain("Zq");
      }),
    );
  });

  it("is cut to its length, and ends in an ellipsis then", () => {
    expect(outlineQuery(`SELECT ${"a, ".repeat(100)}`, 20)).toBe("SELECT a, a, a, a, …");
    expect(outlineQuery("SELECT a".repeat(1_000_000))).toHaveLength(100);
  });
});
