import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LISTEN_ORIGIN } from "#domain/listen-origin.ts";
import { readPathPrefix } from "#domain/path-prefix.ts";
import { parseTargetPolicy, validateTarget } from "#domain/target-url.ts";

describe("a prefix of paths", () => {
  it.each([
    ["/", "/"],
    ["/hooks/", "/hooks/"],
    ["/h\u00fc/", "/h%C3%BC/"],
    ["/a/../b/./c", "/b/c"],
    ["//example.com/x", "//example.com/x"],
    ["/a%2Fb", "/a%2Fb"],
    [`/${"a".repeat(2_047)}`, `/${"a".repeat(2_047)}`],
  ])("%j is compared as %j", (text, prefix) => {
    expect(readPathPrefix(text)).toEqual({ prefix });
  });

  it.each([
    "",
    "hooks",
    "https://listen.invalid/",
    "/a?b",
    "/a#b",
    "/a b",
    "/a\\b",
    "/a\0",
    "/\ud800",
    `/${"a".repeat(2_048)}`,
  ])("%j is refused", (text) => {
    expect(readPathPrefix(text)).toEqual({ problem: expect.stringMatching(/^must /) });
  });

  it("of a path is a prefix of the stored target with that path, for any path that begins with it", () => {
    const segment = fc.string({ unit: fc.constantFrom(..."ab\u00e9~!%-_. ;:@&=+$,'()*[]^`{|}\"<>"), maxLength: 6 });
    fc.assert(
      fc.property(
        fc.array(segment, { minLength: 1, maxLength: 3 }),
        fc.array(segment, { maxLength: 2 }),
        (head, tail) => {
          const text = `/${head.join("/")}/`;
          const read = readPathPrefix(text);
          const target = validateTarget(LISTEN_ORIGIN + text + tail.join("/"), parseTargetPolicy("", ""), "test");
          if (!("prefix" in read) || !target.ok || tail.some((one) => /^(\.|%2e){1,2}$/i.test(one))) return;
          expect(new URL(target.url).pathname.startsWith(read.prefix)).toBe(true);
        },
      ),
    );
  });
});
