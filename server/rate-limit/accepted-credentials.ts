import { hash } from "node:crypto";
import { readSessionTokens } from "../auth/session-cookie.ts";

/** The credential of an API call: its `Authorization` header, or else its session tokens; "" when it has none. */
export function credentialOfCall(authorization: string | null, cookie: string | null): string {
  return authorization ?? credentialOfPage(cookie);
}

/** The credential of a request for a page: its session tokens; "" when it has none. */
export function credentialOfPage(cookie: string | null): string {
  return readSessionTokens(cookie).join(" ");
}

/** Remembers that this process has just accepted a credential. Keeps the hashes of the 10,000 that were used last. */
export function rememberAccepted(credential: string): void {
  const key = keyOf(credential);
  const accepted = store();
  // Deleting and adding again keeps the set in order of use.
  accepted.delete(key);
  if (accepted.size >= ACCEPTED_MAX) accepted.delete(accepted.values().next().value as string);
  accepted.add(key);
}

/** Forgets a credential that has just been refused. */
export function forgetAccepted(credential: string): void {
  store().delete(keyOf(credential));
}

/** Whether this process has accepted the credential before. It may have been revoked since. */
export function wasAccepted(credential: string): boolean {
  return acceptedHash(credential) !== undefined;
}

/** The hash of a credential that this process has accepted before; undefined for any other. */
export function acceptedHash(credential: string): string | undefined {
  if (credential === "") return undefined;
  const key = keyOf(credential);
  return store().has(key) ? key : undefined;
}

const ACCEPTED_MAX = 10_000;
const ACCEPTED = Symbol.for("stopwatch.accepted-credentials");

const keyOf = (credential: string) => hash("sha256", credential, "base64");

// On globalThis, since Next.js loads this module once for the routes, for the pages and for instrumentation.ts.
function store(): Set<string> {
  const shared = globalThis as { [ACCEPTED]?: Set<string> };
  shared[ACCEPTED] ??= new Set();
  return shared[ACCEPTED];
}
