import { hash, randomBytes } from "node:crypto";

/** Lifetime of a magic link, minutes. It works once. */
export const MAGIC_LINK_MINUTES = 15;

/** A new magic link token: 32 random bytes in base64url. Only its hash is stored. */
export function generateLinkToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The stored hash of a token, as next-auth computes it: SHA-256 of token and secret in hexadecimal. */
export function hashLinkToken(token: string, authSecret: string): string {
  return hash("sha256", `${token}${authSecret}`, "hex");
}

/** The URL in the mail. `redirectTo` is the path to go to after signing in; omitted for the default one. */
export function magicLinkUrl(
  baseUrl: string,
  link: { token: string; email: string; redirectTo?: string | undefined },
): string {
  const { token, email, redirectTo } = link;
  const query = new URLSearchParams({ token, email, ...(redirectTo !== undefined && { redirectTo }) });
  return `${baseUrl}/v1/auth/magic/verify?${query}`;
}
