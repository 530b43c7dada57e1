import type { Config } from "#config.ts";
import { trimAscii } from "#domain/ascii.ts";
import { isSessionToken, SESSION_DAYS } from "#domain/session-token.ts";

const SESSION_COOKIE = "sw_session";

/**
 * The session tokens in a `Cookie` header, in order, without duplicates. There can be several, from other domains or paths.
 * Malformed values are skipped; at most four tokens are returned.
 */
export function readSessionTokens(cookieHeader: string | null): string[] {
  const tokens = new Set<string>();
  for (const pair of (cookieHeader ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at < 0 || trimAscii(pair.slice(0, at)) !== SESSION_COOKIE) continue;
    const value = trimAscii(pair.slice(at + 1));
    if (isSessionToken(value)) tokens.add(value);
    if (tokens.size === TOKENS_MAX) break;
  }
  return [...tokens];
}

/** The `Set-Cookie` that sets the session cookie with its full lifetime. */
export function sessionCookie(config: CookieSettings, token: string): string {
  return cookie(config, token, SESSION_DAYS * 86_400);
}

/** The `Set-Cookie` that clears the session cookie. */
export function clearedSessionCookie(config: CookieSettings): string {
  return cookie(config, "", 0);
}

type CookieSettings = Pick<Config, "baseUrl" | "cookieDomain">;

const TOKENS_MAX = 4;

function cookie({ baseUrl, cookieDomain }: CookieSettings, value: string, maxAgeS: number): string {
  return [
    `${SESSION_COOKIE}=${value}`,
    "Path=/",
    `Max-Age=${maxAgeS}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(baseUrl.startsWith("https:") ? ["Secure"] : []),
    ...(cookieDomain ? [`Domain=${cookieDomain}`] : []),
  ].join("; ");
}
