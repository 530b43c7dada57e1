import type { Config } from "#config.ts";
import { MAGIC_LINK_MINUTES } from "#domain/magic-link.ts";
import { isSignatureValid, readCookie, sign, signInCookie, signInCookieName } from "./cookies.ts";

const NAME = "signin";
const PURPOSE = "browser";

/**
 * The `Set-Cookie` that binds a browser to its request for a magic link to `email`: the expiry time and a signature over
 * expiry and address.
 */
export function bindBrowser(config: Pick<Config, "baseUrl">, authSecret: string, email: string): string {
  const expiresAtMs = String(Date.now() + MAGIC_LINK_MINUTES * 60_000);
  const value = `${expiresAtMs}.${sign(authSecret, PURPOSE, `${expiresAtMs} ${email}`)}`;
  return signInCookie(config, NAME, value, MAGIC_LINK_MINUTES * 60);
}

/** Whether this browser requested a magic link to `email` within the lifetime of a link. */
export function isBoundBrowser(
  config: Pick<Config, "baseUrl">,
  authSecret: string,
  cookieHeader: string | null,
  email: string,
): boolean {
  return readCookie(cookieHeader, signInCookieName(config, NAME)).some((value) => {
    const [, expiresAtMs, signature] = /^(\d{1,15})\.([\w-]{43})$/.exec(value) ?? [];
    if (expiresAtMs === undefined || signature === undefined || Number(expiresAtMs) < Date.now()) return false;
    return isSignatureValid(authSecret, PURPOSE, `${expiresAtMs} ${email}`, signature);
  });
}

/** The `Set-Cookie` that clears the binding. */
export function unbindBrowser(config: Pick<Config, "baseUrl">): string {
  return signInCookie(config, NAME, "", 0);
}
