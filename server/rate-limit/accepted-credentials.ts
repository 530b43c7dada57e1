import { hash } from "node:crypto";
import { bearerToken } from "../auth/bearer-token.ts";
import { readSessionTokens } from "../auth/session-cookie.ts";

/** The credentials of an API call, by their hashes: its bearer token, or else its session tokens; none when it has none. */
export function credentialsOfCall(authorization: string | null, cookie: string | null): string[] {
  if (authorization === null) return credentialsOfPage(cookie);
  const token = bearerToken(authorization);
  return token === undefined ? [] : [keyOf(token)];
}

/** The credentials of a request for a page, by their hashes: its session tokens. */
export function credentialsOfPage(cookie: string | null): string[] {
  return readSessionTokens(cookie).map(keyOf);
}

/**
 * Remembers that this process has just accepted one of these credentials, and for whom: `party` is the account, or what else has
 * it. Of several session tokens it remembers the one for which that is known already, or all of them; those of another
 * account authenticate nobody. Keeps the 10,000 that were used last.
 */
export function rememberAccepted(credentials: readonly string[], party: string): void {
  const accepted = store();
  const known = credentials.filter((key) => accepted.get(key) === party);
  for (const key of known.length > 0 ? known : credentials) {
    // Deleting and adding again keeps the map in order of use.
    accepted.delete(key);
    if (accepted.size >= ACCEPTED_MAX) accepted.delete(accepted.keys().next().value as string);
    accepted.set(key, party);
  }
}

/** Forgets credentials that have just been refused. */
export function forgetAccepted(credentials: readonly string[]): void {
  for (const key of credentials) store().delete(key);
}

/** For whom this process has accepted one of these credentials before; undefined for others. It may have been revoked since. */
export function acceptedParty(credentials: readonly string[]): string | undefined {
  const known = credentials.find((key) => store().has(key));
  return known === undefined ? undefined : store().get(known);
}

const ACCEPTED_MAX = 10_000;
const ACCEPTED = Symbol.for("stopwatch.accepted-credentials");

const keyOf = (credential: string) => hash("sha256", credential, "base64");

// On globalThis, since Next.js loads this module once for the routes, for the pages and for instrumentation.ts.
function store(): Map<string, string> {
  const shared = globalThis as { [ACCEPTED]?: Map<string, string> };
  shared[ACCEPTED] ??= new Map();
  return shared[ACCEPTED];
}
