import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generateSessionToken, isSessionToken } from "#domain/session-token.ts";
import { readCookie } from "#server/auth/cookies.ts";
import {
  clearedSessionCookie,
  clearedSessionCookies,
  readSessionTokens,
  sessionCookie,
} from "#server/auth/session-cookie.ts";

const settings = { baseUrl: "https://example.com", cookieDomain: undefined };

describe("readSessionTokens", () => {
  test("finds the token of our cookie among any other cookies", () => {
    const other = fc.stringMatching(/^[!-:<-~]{0,20}$/).filter((text) => !text.startsWith("sw_session="));
    fc.assert(
      fc.property(fc.array(other), fc.array(other), (before, after) => {
        const token = generateSessionToken();
        const [pair] = sessionCookie(settings, token, 0).split(";");
        expect(readSessionTokens([...before, pair, ...after].join("; "))).toEqual([token]);
      }),
    );
  });

  test.each(["\u00A0sw_session", "sw_session\u00A0", "\uFEFFsw_session", "SW_SESSION", "__Host-sw_session"])(
    "does not take a cookie of another name for it: %j",
    (name) => {
      expect(readSessionTokens(`${name}=${generateSessionToken()}`)).toEqual([]);
      expect(readCookie(`${name}=value`, "sw_session")).toEqual([]);
    },
  );

  test("reads any header without an error, and returns at most five values, only those in the form of a token", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom("sw_session", "=", ";", " ", '"', "sw_session="),
      fc.constant(0).map(() => `sw_session=${generateSessionToken()};`),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const tokens = readSessionTokens(pieces.join(""));
        expect(tokens.length).toBeLessThanOrEqual(5);
        expect(tokens.every(isSessionToken)).toBe(true);
        expect(new Set(tokens).size).toBe(tokens.length);
      }),
    );
    expect(readSessionTokens(null)).toEqual([]);
  });
});

describe("the session cookie", () => {
  test("is for the host that set it unless it has a domain, and secure when the address is https", () => {
    expect(sessionCookie({ baseUrl: "http://localhost:3000", cookieDomain: undefined }, "t", 0)).toBe(
      "sw_session=t; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax",
    );
    expect(sessionCookie({ ...settings, cookieDomain: "example.com" }, "t", 0)).toBe(
      "sw_session=t; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure; Domain=example.com",
    );
  });

  test("is cleared with the same attributes, without which a browser would keep it", () => {
    const attributes = (cookie: string) => cookie.split("; ").filter((part) => !/^(sw_session|Max-Age)=/.test(part));
    const withDomain = { ...settings, cookieDomain: "example.com" };
    expect(clearedSessionCookie(withDomain)).toMatch(/^sw_session=; .*Max-Age=0;/);
    expect(attributes(clearedSessionCookie(withDomain))).toEqual(attributes(sessionCookie(withDomain, "t", 0)));
  });

  test("is cleared for each path over that of the request and each domain over our host, and for no other", () => {
    const cleared = (baseUrl: string, path: string) =>
      clearedSessionCookies({ baseUrl, cookieDomain: undefined }, path).map((one) =>
        one.replace("sw_session=; ", "").replace("; Max-Age=0; HttpOnly; SameSite=Lax", "").replace("; Secure", ""),
      );
    expect(cleared("http://localhost:3000", "/keys/new")).toEqual([
      "Path=/",
      "Path=/keys",
      "Path=/keys/",
      "Path=/keys/new",
    ]);
    expect(cleared("http://localhost:3000", "/a/b/c/d/e/f/g")).toEqual(
      ["/", "/a", "/a/", "/a/b", "/a/b/", "/a/b/c", "/a/b/c/", "/a/b/c/d", "/a/b/c/d/"].map((path) => `Path=${path}`),
    );
    expect(cleared("https://app.example.co.uk", "/")).toEqual([
      "Path=/",
      ...["app.example.co.uk", "example.co.uk", "co.uk"].map((domain) => `Path=/; Domain=${domain}`),
    ]);
    for (const address of ["http://127.0.0.1", "http://[::1]"]) expect(cleared(address, "/")).toEqual(["Path=/"]);
    for (const path of ["/a;Domain=x/b", "/a b", "*", "", "http://x/a"]) {
      expect(cleared("http://localhost", path)).toEqual(["Path=/"]);
    }
  });
});
