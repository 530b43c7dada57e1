import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generateSessionToken, isSessionToken } from "#domain/session-token.ts";
import { clearedSessionCookie, readSessionTokens, sessionCookie } from "#server/auth/session-cookie.ts";

const settings = { baseUrl: "https://example.com", cookieDomain: undefined };

describe("readSessionTokens", () => {
  test("finds the token that a cookie of ours gives a browser, whatever cookies are around it", () => {
    const other = fc.stringMatching(/^[!-:<-~]{0,20}$/).filter((text) => !text.startsWith("sw_session="));
    fc.assert(
      fc.property(fc.array(other), fc.array(other), (before, after) => {
        const token = generateSessionToken();
        const [pair] = sessionCookie(settings, token).split(";");
        expect(readSessionTokens([...before, pair, ...after].join("; "))).toEqual([token]);
      }),
    );
  });

  test("takes any header without an error, and only what has the form of a token, four of them at most", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom("sw_session", "=", ";", " ", '"', "sw_session="),
      fc.constant(0).map(() => `sw_session=${generateSessionToken()};`),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const tokens = readSessionTokens(pieces.join(""));
        expect(tokens.length).toBeLessThanOrEqual(4);
        expect(tokens.every(isSessionToken)).toBe(true);
        expect(new Set(tokens).size).toBe(tokens.length);
      }),
    );
    expect(readSessionTokens(null)).toEqual([]);
  });
});

describe("the session cookie", () => {
  test("is for the host that set it, unless it has a domain, and secure where the address is https", () => {
    expect(sessionCookie({ baseUrl: "http://localhost:3000", cookieDomain: undefined }, "t")).toBe(
      "sw_session=t; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax",
    );
    expect(sessionCookie({ ...settings, cookieDomain: "example.com" }, "t")).toBe(
      "sw_session=t; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure; Domain=example.com",
    );
  });

  test("is cleared under the same attributes, without which a browser would keep it", () => {
    const attributes = (cookie: string) => cookie.split("; ").filter((part) => !/^(sw_session|Max-Age)=/.test(part));
    const given = { ...settings, cookieDomain: "example.com" };
    expect(clearedSessionCookie(given)).toMatch(/^sw_session=; .*Max-Age=0;/);
    expect(attributes(clearedSessionCookie(given))).toEqual(attributes(sessionCookie(given, "t")));
  });
});
