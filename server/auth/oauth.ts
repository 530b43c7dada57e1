import type { ProviderName } from "#domain/providers.ts";
import type { CallSource } from "#domain/security-events.ts";
import type { Services } from "../services.ts";
import { readCookie, signInCookie, signInCookieName } from "./cookies.ts";
import { nextAuthCookieNames, runNextAuth } from "./next-auth.ts";
import { redirectPath } from "./redirects.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";

const REDIRECT_COOKIE_MAX_AGE_S = 15 * 60;
const REDIRECT_COOKIE = "next";

/**
 * Starts an OAuth flow: returns the provider's authorization URL and the cookies that its callback needs. Throws
 * SignInFailure when the provider's discovery document cannot be read.
 */
export async function startOAuth(
  services: Services,
  authSecret: string,
  { provider, redirectTo }: { provider: ProviderName; redirectTo: string | undefined },
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
    cookies: [...own, signInCookie(services.config, REDIRECT_COOKIE, next, REDIRECT_COOKIE_MAX_AGE_S)],
  };
}

/** Finishes an OAuth flow by the callback's query and returns the token of the new session. Throws SignInFailure. */
export async function finishOAuth(
  services: Services,
  authSecret: string,
  callback: { provider: ProviderName; query: URLSearchParams; cookieHeader: string | null; source: CallSource },
): Promise<string> {
  const { provider, query, cookieHeader, source } = callback;
  const attempt: SignInAttempt = { step: "finish OAuth", source, provider };
  // Pass only these cookies: next-auth fails on malformed ones and would use an existing session.
  const cookie = nextAuthCookieNames(services.config)
    .flatMap((name) =>
      readCookie(cookieHeader, name)
        .slice(0, 1)
        .map((value) => `${name}=${value}`),
    )
    .join("; ");
  const fields = Object.fromEntries(query);
  await runNextAuth(services, authSecret, attempt, { method: "GET", action: `callback/${provider}`, cookie, fields });
  if (attempt.sessionToken === undefined) throw new Error("next-auth started no session and reported no error");
  return attempt.sessionToken;
}

/** The redirect path stored when the OAuth flow started. */
export function storedRedirectPath(config: Services["config"], cookieHeader: string | null): string {
  const [next = ""] = readCookie(cookieHeader, signInCookieName(config, REDIRECT_COOKIE));
  return redirectPath(decode(next));
}

/** The `Set-Cookie` values that clear the cookies of an OAuth flow. */
export function clearedOAuthCookies(config: Services["config"]): string[] {
  return ["state", "pkce", REDIRECT_COOKIE].map((name) => signInCookie(config, name, "", 0));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
