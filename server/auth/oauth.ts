import type { Services } from "../services.ts";
import { readCookie, signInCookie, signInCookieName } from "./cookies.ts";
import type { ProviderName } from "./enabled-providers.ts";
import { nextAuthCookieNames, runNextAuth } from "./next-auth.ts";
import { destination } from "./redirects.ts";
import type { Attempt } from "./sign-in-attempt.ts";

const ON_THE_WAY_S = 15 * 60;
const NEXT = "next";

/**
 * The address of a provider to send somebody to, and the cookies by which its answer is known. Throws a SignInFailure when
 * the provider does not say where that is.
 */
export async function startOAuth(
  held: Services,
  authSecret: string,
  { provider, redirectTo }: { provider: ProviderName; redirectTo: string | undefined },
): Promise<{ location: string; cookies: string[] }> {
  const attempt: Attempt = { step: "go to a provider", userAgent: null };
  const answer = await runNextAuth(held, authSecret, attempt, { method: "POST", action: `signin/${provider}` });
  const location = answer.headers.get("location");
  if (location === null) throw new Error("next-auth told no address of the provider");
  const names = nextAuthCookieNames(held.config);
  const own = answer.headers.getSetCookie().filter((cookie) => names.some((name) => cookie.startsWith(`${name}=`)));
  const next = encodeURIComponent(destination(redirectTo));
  return { location, cookies: [...own, signInCookie(held.config, NEXT, next, ON_THE_WAY_S)] };
}

/** Starts a session for whom a provider vouches, by the query of its answer. Throws a SignInFailure otherwise. */
export async function finishOAuth(
  held: Services,
  authSecret: string,
  came: { provider: ProviderName; query: URLSearchParams; cookieHeader: string | null; userAgent: string | null },
): Promise<string> {
  const { provider, query, cookieHeader, userAgent } = came;
  const attempt: Attempt = { step: "come back from a provider", userAgent };
  // Nothing else of what the browser holds: next-auth would trip over a junk one, and give weight to a session.
  const cookie = nextAuthCookieNames(held.config)
    .flatMap((name) =>
      readCookie(cookieHeader, name)
        .slice(0, 1)
        .map((value) => `${name}=${value}`),
    )
    .join("; ");
  const fields = Object.fromEntries(query);
  await runNextAuth(held, authSecret, attempt, { method: "GET", action: `callback/${provider}`, cookie, fields });
  if (attempt.sessionToken === undefined) throw new Error("next-auth started no session, and told no reason");
  return attempt.sessionToken;
}

/** Where the person wanted to go before being sent to a provider. */
export function destinationOf(config: Services["config"], cookieHeader: string | null): string {
  const [next = ""] = readCookie(cookieHeader, signInCookieName(config, NEXT));
  return destination(decoded(next));
}

/** The `Set-Cookie`s that take away what a browser kept while its person was at a provider. */
export function forgetOAuth(config: Services["config"]): string[] {
  return ["state", "pkce", NEXT].map((name) => signInCookie(config, name, "", 0));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
