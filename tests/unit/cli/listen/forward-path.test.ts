import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forwardPath } from "../../../../cli/src/listen/forward-path.ts";

const origin = new URL("http://localhost:3000");
const page = new URL("http://localhost:3000/hook");

describe("the path of a local request", () => {
  test.each([
    ["/orders/7?x=1", "/orders/7?x=1", "/hook?x=1"],
    ["/", "/", "/hook"],
    ["/a?", "/a?", "/hook?"],
    ["//evil.example/x", "//evil.example/x", "/hook"],
    ["/\\evil.example/x", "//evil.example/x", "/hook"],
    ["/../../etc/passwd", "/etc/passwd", "/hook"],
    ["/a/%2e%2E/%2e/b", "/b", "/hook"],
    ["/a/..//evil.example", "//evil.example", "/hook"],
    ["/@evil.example", "/@evil.example", "/hook"],
    ["/:80/x", "/:80/x", "/hook"],
    ["/%2f%2fevil.example", "/%2f%2fevil.example", "/hook"],
  ])("of %s stays on the host of --to", (path, alone, withPath) => {
    expect(forwardPath(origin, path)).toBe(alone);
    expect(forwardPath(page, path)).toBe(withPath);
  });

  test.each([
    "",
    "x",
    "http://evil.example/",
    "HTTP://evil.example",
    "evil.example:80",
    "*",
    "?a",
    "#a",
    "/a#b",
    "/a b",
  ])("is none for %j", (path) => expect(forwardPath(origin, path)).toBeUndefined());

  test.each(["/a\nb", "/a\r\nHost: evil.example", "/a\tb", "/a\0", "/ä"])("is none for %j", (path) =>
    expect(forwardPath(origin, path)).toBeUndefined(),
  );

  test("takes the query of --to in place of the delivery's", () => {
    expect(forwardPath(new URL("http://localhost:3000/hook?to=1"), "/a?b=2")).toBe("/hook?to=1");
    expect(forwardPath(new URL("http://localhost:3000?to=1"), "/a?b=2")).toBe("/a?to=1");
  });

  test("is what the URL standard makes of it, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const path of [text, `/${text}`, `//${text}`, `/../${text}`]) {
          const local = forwardPath(origin, path);
          if (local === undefined) continue;
          expect(local).toMatch(/^\/[\x21-\x7e]*$/);
          expect(local.split(/[/?]/)).not.toContain("..");
          expect(new URL(origin.origin + local).origin).toBe(origin.origin);
        }
      }),
    );
  });

  test("keeps every question mark of a query", () => {
    for (const path of ["/?", "/??", "/a?b?c", "/a??"]) expect(forwardPath(origin, path)).toBe(path);
  });

  test("is unchanged for any target that the service has normalised", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (address) => {
        const { href, origin: from } = new URL(address);
        expect(forwardPath(origin, href.slice(from.length))).toBe(href.slice(from.length));
      }),
    );
  });
});
