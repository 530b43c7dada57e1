import type { Config } from "#config.ts";
import type { ProviderName } from "#domain/providers.ts";
import { isSignatureValid, readCookie, sign, signInCookie, signInCookieName } from "./cookies.ts";

export const LINK_INTENT_COOKIE = "link";

/** What a person asked for: that the identity at `provider` be linked to the account of their session (UUID). */
type LinkIntent = { provider: ProviderName; sessionId: string };

/** The `Set-Cookie` that remembers the intent while the person is at the provider; without one it is cleared. */
export function linkIntentCookie(
  config: Pick<Config, "baseUrl">,
  authSecret: string,
  intent: LinkIntent | undefined,
): string {
  if (intent === undefined) return signInCookie(config, LINK_INTENT_COOKIE, "", 0);
  const expiresAtMs = String(Date.now() + INTENT_S * 1_000);
  const value = `${expiresAtMs}.${sign(authSecret, PURPOSE, signedText(expiresAtMs, intent))}`;
  return signInCookie(config, LINK_INTENT_COOKIE, value, INTENT_S);
}

/** Whether the browser came back from a visit that was to link an identity, by whomever and however long ago. */
export function wasToLink(config: Pick<Config, "baseUrl">, cookieHeader: string | null): boolean {
  return readCookie(cookieHeader, signInCookieName(config, LINK_INTENT_COOKIE)).some((value) => value !== "");
}

/** Whether the person of this session asked for it, not long ago. */
export function isIntended(
  config: Pick<Config, "baseUrl">,
  authSecret: string,
  cookieHeader: string | null,
  intent: LinkIntent,
): boolean {
  return readCookie(cookieHeader, signInCookieName(config, LINK_INTENT_COOKIE)).some((value) => {
    const [, expiresAtMs, signature] = /^(\d{1,15})\.([\w-]{43})$/.exec(value) ?? [];
    if (expiresAtMs === undefined || signature === undefined || Number(expiresAtMs) < Date.now()) return false;
    return isSignatureValid(authSecret, PURPOSE, signedText(expiresAtMs, intent), signature);
  });
}

const PURPOSE = "link";
const INTENT_S = 15 * 60;

const signedText = (expiresAtMs: string, { provider, sessionId }: LinkIntent) =>
  `${expiresAtMs} ${provider} ${sessionId}`;
