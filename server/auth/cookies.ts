import { createHmac, timingSafeEqual } from "node:crypto";
import type { Config } from "#config.ts";
import { trimAscii } from "#domain/ascii.ts";

/**
 * The full name of a sign-in cookie. It must not begin with the session cookie's name, which next-auth matches by prefix.
 * Over https the `__Host-` prefix keeps other hosts, including sibling subdomains, from setting it.
 */
export function signInCookieName({ baseUrl }: Pick<Config, "baseUrl">, name: string): string {
  return `${isSecure(baseUrl) ? "__Host-" : ""}sw-${name}`;
}

/** The `Set-Cookie` of a sign-in cookie; `maxAgeS` 0 deletes it. */
export function signInCookie(config: Pick<Config, "baseUrl">, name: string, value: string, maxAgeS: number): string {
  return [
    `${signInCookieName(config, name)}=${value}`,
    "Path=/",
    `Max-Age=${maxAgeS}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(isSecure(config.baseUrl) ? ["Secure"] : []),
  ].join("; ");
}

/** The values of a cookie in a `Cookie` header, in order; several cookies can share one name. */
export function readCookie(cookieHeader: string | null, name: string): string[] {
  return (cookieHeader ?? "")
    .split(";")
    .map((pair) => pair.split(/=(.*)/s, 2))
    .filter(([cookieName]) => trimAscii(cookieName ?? "") === name)
    .map(([, value]) => trimAscii(value ?? ""));
}

/** Signs a text for one purpose: HMAC-SHA256 keyed with `authSecret`, base64url. */
export function sign(authSecret: string, purpose: string, text: string): string {
  return createHmac("sha256", authSecret).update(`${purpose}\n${text}`).digest("base64url");
}

/** Verifies a signature made by `sign`, in constant time. */
export function isSignatureValid(authSecret: string, purpose: string, text: string, cookieName: string): boolean {
  const expected = Buffer.from(sign(authSecret, purpose, text));
  const bytes = Buffer.from(cookieName);
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}

export function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith("https:");
}
