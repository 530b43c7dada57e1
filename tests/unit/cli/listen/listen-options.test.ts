import { describe, expect, test } from "vitest";
import { type ListenOptions, planOf } from "../../../../cli/src/listen/listen-options.ts";

describe("the options of listen", () => {
  test.each<[ListenOptions, string]>([
    [{}, "--to is missing"],
    [{ to: "" }, "--to must be the http or https address"],
    [{ to: "localhost:3000" }, "--to must be the http or https address"],
    [{ to: "3000" }, "--to must be the http or https address"],
    [{ to: "//localhost" }, "--to must be the http or https address"],
    [{ to: "ftp://localhost/" }, "--to must be the http or https address"],
    [{ to: "http:///hook" }, "--to must be the http or https address"],
    [{ to: "http:localhost" }, "--to must be the http or https address"],
    [{ to: "http:\\\\localhost" }, "--to must be the http or https address"],
    [{ to: "http://localhost:99999" }, "--to must be the http or https address"],
    [{ to: "http://user:secret@localhost" }, "--to must not have a user or a password"],
    [{ to: "http://@localhost" }, "--to must not have a user or a password"],
    [{ to: "http://localhost/#a" }, "--to must not have a fragment"],
    [{ to: "http://localhost/#" }, "--to must not have a fragment"],
    [{ to: "http://localhost", exec: "true" }, "--exec must not stand beside --to"],
    [{ exec: " " }, "--exec is empty"],
    [{ exec: "true", keepHost: true }, "--keep-host needs --to"],
    [{ exec: "true", insecure: true }, "--insecure takes any certificate"],
    [{ to: "https://example.com", insecure: true }, "--insecure takes any certificate"],
    [{ to: "https://127.0.0.1.example.com", insecure: true }, "--insecure takes any certificate"],
    [{ to: "http://localhost", path: ["hooks"] }, "--path must be the beginning of paths"],
    [{ to: "http://localhost", path: [""] }, "--path must be the beginning of paths"],
    [{ to: "http://localhost", path: ["/a?b"] }, "--path must be the beginning of paths"],
    [
      { to: "http://localhost", path: [..."abcdef"].map((letter) => `/${letter}`) },
      "--path may be given 5 times at most",
    ],
  ])("%j are refused with an example", (options, problem) => {
    const error = expect.objectContaining({
      name: "UsageError",
      message: expect.stringContaining(problem),
      example: expect.stringMatching(/^stopwatch listen /),
    });
    expect(() => planOf(options)).toThrow(error);
  });

  test.each([
    ["http://localhost:3000/hook?a=b", "http://localhost:3000/hook?a=b"],
    ["HTTPS://Example.com", "https://example.com/"],
    ["http://[::1]:80/a/../b@c", "http://[::1]/b@c"],
  ])("take %s", (to, href) => {
    expect(planOf({ to })).toMatchObject({ destination: { to: { href } }, scope: "reserved", paths: [], once: false });
  });

  test.each(["localhost", "127.3.2.1", "[::1]", "app.localhost"])(
    "take any certificate of %s with --insecure",
    (host) => {
      expect(planOf({ to: `https://${host}:3000`, insecure: true })).toMatchObject({ insecure: true });
    },
  );

  test("count a path once that was given twice", () => {
    expect(planOf({ exec: "true", path: ["/a", "/b", "/a"], all: true })).toMatchObject({
      paths: ["/a", "/b"],
      scope: "all",
    });
  });
});
