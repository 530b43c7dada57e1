import type { Config } from "#config.ts";
import { MAGIC_LINK_MINUTES } from "#domain/magic-link.ts";
import { isSealed, readCookie, seal, signInCookie, signInCookieName } from "./cookies.ts";

const NAME = "signin";
const USE = "browser";

/**
 * The `Set-Cookie` by which a browser shows that it asked for a magic link to this address: the time until when, and a seal
 * over both.
 */
export function bindBrowser(config: Pick<Config, "baseUrl">, authSecret: string, email: string): string {
  const until = String(Date.now() + MAGIC_LINK_MINUTES * 60_000);
  const value = `${until}.${seal(authSecret, USE, `${until} ${email}`)}`;
  return signInCookie(config, NAME, value, MAGIC_LINK_MINUTES * 60);
}

/** Whether this browser asked for a magic link to this address within the time that a link works. */
export function isBoundBrowser(
  config: Pick<Config, "baseUrl">,
  authSecret: string,
  cookieHeader: string | null,
  email: string,
): boolean {
  return readCookie(cookieHeader, signInCookieName(config, NAME)).some((value) => {
    const [, until, given] = /^(\d{1,15})\.([\w-]{43})$/.exec(value) ?? [];
    if (until === undefined || given === undefined || Number(until) < Date.now()) return false;
    return isSealed(authSecret, USE, `${until} ${email}`, given);
  });
}

/** The `Set-Cookie` that takes it away. */
export function unbindBrowser(config: Pick<Config, "baseUrl">): string {
  return signInCookie(config, NAME, "", 0);
}
