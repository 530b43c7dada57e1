import type { Config } from "#config.ts";
import { trimAscii } from "#domain/ascii.ts";
import { sessionCookieSeconds } from "#domain/session-lifetime.ts";
import { isSessionToken } from "#domain/session-token.ts";

const SESSION_COOKIE = "sw_session";

/** With more tokens than this nobody is signed in. */
export const SESSION_TOKENS_MAX = 4;

/**
 * The session tokens in a `Cookie` header, in order, without duplicates. There can be several, from other domains or paths.
 * Malformed values are skipped; at most one more than `SESSION_TOKENS_MAX` is returned.
 */
export function readSessionTokens(cookieHeader: string | null): string[] {
  const tokens = new Set<string>();
  for (const value of sessionValues(cookieHeader)) {
    if (isSessionToken(value)) tokens.add(value);
    if (tokens.size > SESSION_TOKENS_MAX) break;
  }
  return [...tokens];
}

/** Whether a `Cookie` header has a session, well-formed or not. */
export function hasSessionCookie(cookieHeader: string | null): boolean {
  return sessionValues(cookieHeader).some((value) => value !== "");
}

function* sessionValues(cookieHeader: string | null): Generator<string, void> {
  for (const pair of (cookieHeader ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at >= 0 && trimAscii(pair.slice(0, at)) === SESSION_COOKIE) yield trimAscii(pair.slice(at + 1));
  }
}

/** The `Set-Cookie` of a session that is started or renewed now. `ageS` is the time since its sign-in, s. */
export function sessionCookie(config: CookieSettings, token: string, ageS: number): string {
  return cookie(config, token, sessionCookieSeconds(ageS));
}

/** The `Set-Cookie` that clears the session cookie. */
export function clearedSessionCookie(config: CookieSettings): string {
  return cookie(config, "", 0);
}

/**
 * The headers of an answer after which a browser has nothing more to do with an account: they clear the session cookie, and
 * whatever else is stored of this site. Not for every sign-out, since a browser searches its whole cache for it: Chromium takes
 * 2 s for 10,000 files.
 */
export function forgetAccountHeaders(config: CookieSettings): Record<string, string> {
  return { "Set-Cookie": clearedSessionCookie(config), "Clear-Site-Data": '"cache", "storage"' };
}

/**
 * The `Set-Cookie` values that clear every session cookie that a browser sends to `path`. This includes cookies that a
 * sibling host set for a shared domain, or for one of our paths.
 */
export function clearedSessionCookies({ baseUrl }: CookieSettings, path: string): string[] {
  const domains = [undefined, ...sharedDomains(new URL(baseUrl).hostname)];
  return domains.flatMap((cookieDomain) => pathsOver(path).map((at) => cookie({ baseUrl, cookieDomain }, "", 0, at)));
}

type CookieSettings = Pick<Config, "baseUrl" | "cookieDomain">;

/** A host and its parents, but for the last label; none for an address or a host without parents. */
function sharedDomains(host: string): string[] {
  const labels = host.split(".");
  if (labels.length < 2 || /^[\d.]+$|:/.test(host)) return [];
  return labels.slice(0, -1).map((_, at) => labels.slice(at).join("."));
}

/** The paths for which a cookie is sent to `path`: `/a/b` → `/`, `/a`, `/a/`, `/a/b`. At most those of four folders. */
function pathsOver(path: string): string[] {
  // A semicolon would end the attribute.
  if (!/^\/[\w./~%-]*$/.test(path)) return ["/"];
  const ends = [...path.matchAll(/\//g)].map(({ index }) => index).slice(1, FOLDERS_MAX + 1);
  const folders = ends.flatMap((at) => [path.slice(0, at), path.slice(0, at + 1)]);
  return [...new Set(["/", ...folders, ...(ends.length < FOLDERS_MAX ? [path] : [])])];
}

const FOLDERS_MAX = 4;

function cookie({ baseUrl, cookieDomain }: CookieSettings, value: string, maxAgeS: number, path = "/"): string {
  return [
    `${SESSION_COOKIE}=${value}`,
    `Path=${path}`,
    `Max-Age=${maxAgeS}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(baseUrl.startsWith("https:") ? ["Secure"] : []),
    ...(cookieDomain ? [`Domain=${cookieDomain}`] : []),
  ].join("; ");
}
