import { DatabaseUnavailable } from "#db/client.ts";
import { environmentOf } from "#domain/environment.ts";
import type { ProviderName } from "#domain/providers.ts";
import { isSameOriginNavigation } from "../auth/confirmation.ts";
import { isIntended } from "../auth/link-intent.ts";
import { clearedOAuthCookies, finishLink, startOAuth } from "../auth/oauth.ts";
import { hasRecentSignIn } from "../auth/recent-sign-in.ts";
import { signedOutPageUrl } from "../auth/redirects.ts";
import { SignInFailure, type SignInFailureCode } from "../auth/sign-in-failure.ts";
import { flashCookie } from "../http/flash-cookie.ts";
import { pageUrl } from "../http/page-url.ts";
import { seeOther } from "../http/reply.ts";
import { openSession } from "../page-ctx.ts";
import type { Services } from "../services.ts";

const ACCOUNT_PATH = "/account";
const LINK_PAGE_PATH = "/account/identities/new";

/**
 * Sends a person who signed in within the last day to a provider, to link the identity there to their account. A link that is
 * not on a page of our own, or a session that is older, leads to the page that asks.
 */
export async function startLink(
  services: Services,
  authSecret: string,
  { headers }: Request,
  { provider, redirectTo }: { provider: ProviderName; redirectTo: string },
) {
  const ctx = await openSession(headers, { writes: true });
  const isAsked = isSameOriginNavigation(headers, services.config.baseUrl);
  if (!isAsked || ctx?.credential.kind !== "session" || !hasRecentSignIn(ctx)) return seeOther(linkPageUrl(redirectTo));
  const { id: sessionId } = ctx.credential;
  return startOAuth(services, authSecret, { provider, redirectTo, sessionId }).then(
    ({ location, cookies }) => seeOther(location, cookies),
    (error) => failureReply(error, redirectTo),
  );
}

/**
 * Links the identity of a provider's answer to the account of the session that asked for it. Never signs anybody in: without
 * that session the answer is refused.
 */
export async function answerLink(
  services: Services,
  authSecret: string,
  { headers }: Request,
  callback: Parameters<typeof finishLink>[2],
  redirectTo: string,
) {
  const { config } = services;
  const { provider, cookieHeader } = callback;
  const cleared = clearedOAuthCookies(config);
  try {
    const ctx = await openSession(headers, { writes: true });
    if (ctx?.credential.kind !== "session") throw new SignInFailure("signed_out");
    const { id: sessionId } = ctx.credential;
    if (!isIntended(config, authSecret, cookieHeader, { provider, sessionId }))
      throw new SignInFailure("provider_refused");
    await finishLink(services, authSecret, callback, { accountId: ctx.tenant.accountId, sessionId });
    const flash = flashCookie(config, ACCOUNT_PATH, { result: "linked" }, { isFromElsewhere: true });
    return seeOther(pageUrl(ACCOUNT_PATH, environmentOfPath(redirectTo)), [flash, ...cleared]);
  } catch (error) {
    return failureReply(error, redirectTo, cleared);
  }
}

/** Redirects to the page that asks which provider to link, with the failure's code; to the sign-in page without a session. */
function failureReply(error: unknown, redirectTo: string, cookies: readonly string[] = []) {
  const failure = error instanceof DatabaseUnavailable ? new SignInFailure("unavailable") : error;
  if (!(failure instanceof SignInFailure)) throw error;
  if (failure.code === "signed_out") return seeOther(signedOutPageUrl(linkPageUrl(redirectTo)), cookies);
  return seeOther(linkPageUrl(redirectTo, failure.code), cookies);
}

/** The page that asks which provider to link, in the environment of the page `redirectTo`. */
function linkPageUrl(redirectTo: string, error?: SignInFailureCode): string {
  return pageUrl(LINK_PAGE_PATH, environmentOfPath(redirectTo), { error });
}

function environmentOfPath(path: string) {
  return environmentOf(new URLSearchParams(path.split("?", 2)[1]).get("env"));
}
