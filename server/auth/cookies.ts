import { createHmac, timingSafeEqual } from "node:crypto";
import type { Config } from "#config.ts";

/**
 * The name of a cookie that only sign-in uses. None begins with that of the session, which next-auth finds by its prefix;
 * over https a browser takes them from no other host, not even from a sibling.
 */
export function signInCookieName({ baseUrl }: Pick<Config, "baseUrl">, name: string): string {
  return `${isSecure(baseUrl) ? "__Host-" : ""}sw-${name}`;
}

/** The `Set-Cookie` of a cookie that only sign-in uses; with an age of 0 it is taken away. */
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

/** The values of a cookie in a `Cookie` header, in its order. */
export function readCookie(cookieHeader: string | null, name: string): string[] {
  return (cookieHeader ?? "")
    .split(";")
    .map((pair) => pair.split(/=(.*)/s, 2))
    .filter(([given]) => given?.trim() === name)
    .map(([, value]) => (value ?? "").trim());
}

/** What binds a text to this installation, and to one use: HMAC-SHA256 in base64url. */
export function seal(authSecret: string, use: string, text: string): string {
  return createHmac("sha256", authSecret).update(`${use}\n${text}`).digest("base64url");
}

/** Whether this is the seal of that text, in time that says nothing of where it differs. */
export function isSealed(authSecret: string, use: string, text: string, given: string): boolean {
  const wanted = Buffer.from(seal(authSecret, use, text));
  const bytes = Buffer.from(given);
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}

export function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith("https:");
}
