import { hash, randomBytes } from "node:crypto";

/** Days that a session lasts from its last renewal. */
export const SESSION_DAYS = 7;

/** A new session token: 32 random bytes in base64url. The cookie holds it; it is stored nowhere. */
export function generateSessionToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Whether a text has the form of a session token; knows nothing of whether there is such a session. */
export function isSessionToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** SHA-256 of a token in hexadecimal: all that is stored of it. */
export function hashSessionToken(token: string): string {
  return hash("sha256", token, "hex");
}
