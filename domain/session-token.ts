import { hash, randomBytes } from "node:crypto";

/** A new session token: 32 random bytes in base64url. Only its hash is stored. */
export function generateSessionToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Whether a text has the format of a session token. */
export function isSessionToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** The stored hash of a token: SHA-256 in hexadecimal. */
export function hashSessionToken(token: string): string {
  return hash("sha256", token, "hex");
}
