import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { searchedTarget } from "#domain/searched-target.ts";
import { parseTargetPolicy, validateTarget } from "#domain/target-url.ts";

const POLICY = parseTargetPolicy("http://example.com:80,http://example.com:8080", "");

describe("the text of a search for a target", () => {
  it.each([
    ["https://bücher.example.com/a", "https://xn--bcher-kva.example.com/a"],
    ["bücher.example.com", "xn--bcher-kva.example.com"],
    ["HTTPS://Example.com:443", "https://Example.com/"],
    ["https://example.com:443/a", "https://example.com/a"],
    ["example.com:443/a?b", "example.com/a?b"],
    ["http://example.com:80/a", "http://example.com/a"],
    ["https://example.com:80/a", "https://example.com:80/a"],
    ["https://example.com./a", "https://example.com/a"],
    ["https://example.com/a#part", "https://example.com/a"],
    ["https://example.com#part", "https://example.com/"],
    ["https://example.com/a/./b/../c", "https://example.com/a/c"],
    ["example.com/b/../c", "example.com/c"],
    ["https://example.com/größe?ä=ö", "https://example.com/gr%C3%B6%C3%9Fe?%C3%A4=%C3%B6"],
    ["/größe", "/gr%C3%B6%C3%9Fe"],
    ["größe", "gr%C3%B6%C3%9Fe"],
  ])("of a URL as it was typed finds the stored one: %s", (typed, searched) =>
    expect(searchedTarget(typed)).toBe(searched),
  );

  it.each([
    ...["https://exam", "https://example.com", "exam", "example.com", "example.com/a", "/hooks/", "?a=b", "a", "10.0"],
    ...["https://10.0", "https://", "http", "https:/", ":443", "#", "%2F", "/a/../b", "sch_01kbm5qk4f8rz3c2x7w9v6n1ta"],
    ...["https://1", "..", ".", "a..b", "x@example.com", "https://[2a00::", "example.com:", "_%"],
  ])("of a part of a URL stays as it is: %s", (typed) => expect(searchedTarget(typed)).toBe(typed));

  it("of any accepted target is part of that target's stored URL", () => {
    const part = fc.string({ unit: "grapheme", maxLength: 8 });
    const host = fc.constantFrom(
      "example.com",
      "EXAMPLE.com",
      "bücher.example.com",
      "straße.example.com",
      "例え.example.com.",
    );
    const port = fc.constantFrom("", ":443", ":80");
    const tail = fc.array(fc.oneof(part, fc.constantFrom("/", "..", ".", "?", "#", "%2e", "&", "=", "|", "é")), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(fc.constantFrom("https://", "HTTPS://", "http://"), host, port, tail, (scheme, name, at, pieces) => {
        const typed = `${scheme}${name}${at}${pieces.length > 0 ? "/" : ""}${pieces.join("")}`;
        const target = validateTarget(typed, POLICY);
        fc.pre(target.ok);
        const stored = target.ok ? target.url.toLowerCase() : "";
        expect(stored).toContain(searchedTarget(typed).toLowerCase());
        // Without a scheme, port 80 is not the default port.
        if (at !== ":80") expect(stored).toContain(searchedTarget(typed.slice(scheme.length)).toLowerCase());
      }),
    );
  });
});
