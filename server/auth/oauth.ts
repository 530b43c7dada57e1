import type { ProviderName } from "#domain/providers.ts";
import type { CallSource } from "#domain/security-events.ts";
import type { Services } from "../services.ts";
import { readCookie, signInCookie, signInCookieName } from "./cookies.ts";
import { LINK_INTENT_COOKIE, linkIntentCookie } from "./link-intent.ts";
import { nextAuthCookieNames, runNextAuth } from "./next-auth.ts";
import { redirectPath } from "./redirects.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";

const REDIRECT_COOKIE_MAX_AGE_S = 15 * 60;
const REDIRECT_COOKIE = "next";

/**
 * Starts an OAuth flow: returns the provider's authorization URL and the cookies that its callback needs. With `sessionId`
 * (UUID) the callback links the identity to the account of that session. Throws SignInFailure when the provider's discovery
 * document cannot be read.
 */
export async function startOAuth(
  services: Services,
  authSecret: string,
  {
    provider,
    redirectTo,
    sessionId,
  }: { provider: ProviderName; redirectTo: string | undefined; sessionId?: string | undefined },
): Promise<{ location: string; cookies: string[] }> {
  const attempt: SignInAttempt = { step: "start OAuth" };
  const answer = await runNextAuth(services, authSecret, attempt, { method: "POST", action: `signin/${provider}` });
  const location = answer.headers.get("location");
  if (location === null) throw new Error("next-auth returned no authorization URL");
  const names = nextAuthCookieNames(services.config);
  const own = answer.headers.getSetCookie().filter((cookie) => names.some((name) => cookie.startsWith(`${name}=`)));
  const next = encodeURIComponent(redirectPath(redirectTo));
  return {
    location,
    cookies: [
      ...own,
      signInCookie(services.config, REDIRECT_COOKIE, next, REDIRECT_COOKIE_MAX_AGE_S),
      // Also without one: what an abandoned visit left must not turn this sign-in into a link.
      linkIntentCookie(services.config, authSecret, sessionId === undefined ? undefined : { provider, sessionId }),
    ],
  };
}

type Callback = { provider: ProviderName; query: URLSearchParams; cookieHeader: string | null; source: CallSource };

/** Finishes an OAuth flow by the callback's query and returns the token of the new session. Throws SignInFailure. */
export async function finishOAuth(services: Services, authSecret: string, callback: Callback): Promise<string> {
  const { provider, source } = callback;
  const attempt: SignInAttempt = { step: "finish OAuth", source, provider };
  await runCallback(services, authSecret, attempt, callback, []);
  if (attempt.sessionToken === undefined) throw new Error("next-auth started no session and reported no error");
  return attempt.sessionToken;
}

/**
 * Finishes an OAuth flow that was started to link an identity to the account of a session. Throws SignInFailure, also when the
 * identity opens another account. An identity that is linked already stays so.
 */
export async function finishLink(
  services: Services,
  authSecret: string,
  callback: Callback,
  linkTo: NonNullable<SignInAttempt["linkTo"]>,
): Promise<void> {
  const { provider, source } = callback;
  // Not the caller's token, only that there is one: the adapter knows whose session it is.
  const session = ["sw_session=linking"];
  await runCallback(services, authSecret, { step: "finish OAuth", source, provider, linkTo }, callback, session);
}

async function runCallback(
  services: Services,
  authSecret: string,
  attempt: SignInAttempt,
  { provider, query, cookieHeader }: Callback,
  moreCookies: readonly string[],
): Promise<void> {
  // Pass only these cookies: next-auth fails on malformed ones and would use an existing session.
  const cookie = nextAuthCookieNames(services.config)
    .flatMap((name) =>
      readCookie(cookieHeader, name)
        .slice(0, 1)
        .map((value) => `${name}=${value}`),
    )
    .concat(moreCookies)
    .join("; ");
  const fields = Object.fromEntries(query);
  await runNextAuth(services, authSecret, attempt, { method: "GET", action: `callback/${provider}`, cookie, fields });
}

/** The redirect path stored when the OAuth flow started. */
export function storedRedirectPath(config: Services["config"], cookieHeader: string | null): string {
  const [next = ""] = readCookie(cookieHeader, signInCookieName(config, REDIRECT_COOKIE));
  return redirectPath(decode(next));
}

/** The `Set-Cookie` values that clear the cookies of an OAuth flow. */
export function clearedOAuthCookies(config: Services["config"]): string[] {
  return ["state", "pkce", REDIRECT_COOKIE, LINK_INTENT_COOKIE].map((name) => signInCookie(config, name, "", 0));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
