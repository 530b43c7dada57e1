import { hash, randomBytes } from "node:crypto";

/** Minutes that a magic link works, once. */
export const MAGIC_LINK_MINUTES = 15;

/** A new token of a magic link: 32 random bytes in base64url. The mail holds it; it is stored nowhere. */
export function generateLinkToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What is stored of a token: as next-auth does it, the SHA-256 of token and secret in hexadecimal. */
export function hashLinkToken(token: string, authSecret: string): string {
  return hash("sha256", `${token}${authSecret}`, "hex");
}

/** The address in the mail. `redirectTo` is the own path to go on to, unless it is where everybody goes. */
export function magicLinkUrl(
  baseUrl: string,
  link: { token: string; email: string; redirectTo?: string | undefined },
): string {
  const { token, email, redirectTo } = link;
  const query = new URLSearchParams({ token, email, ...(redirectTo !== undefined && { redirectTo }) });
  return `${baseUrl}/v1/auth/magic/verify?${query}`;
}
