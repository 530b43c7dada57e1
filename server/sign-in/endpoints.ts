import { DatabaseUnavailable } from "#db/client.ts";
import { endSessionsByHash } from "#db/queries/accounts/sessions.ts";
import { parseEmailAddress } from "#domain/email-address.ts";
import { AppError } from "#domain/errors.ts";
import { PROVIDER_NAMES, PROVIDERS, type ProviderName } from "#domain/providers.ts";
import { hashSessionToken } from "#domain/session-token.ts";
import { isBoundBrowser, unbindBrowser } from "../auth/browser-binding.ts";
import { isPrefetch, isSameOriginNavigation } from "../auth/confirmation.ts";
import { enabledProviders } from "../auth/enabled-providers.ts";
import { wasToLink } from "../auth/link-intent.ts";
import { redeemMagicLink } from "../auth/magic-link.ts";
import { clearedOAuthCookies, finishOAuth, startOAuth, storedRedirectPath } from "../auth/oauth.ts";
import { redirectPath, signInPageUrl } from "../auth/redirects.ts";
import { isFromElsewhere } from "../auth/same-origin.ts";
import { readSessionTokens, sessionCookie } from "../auth/session-cookie.ts";
import { SignInFailure, type SignInFailureCode } from "../auth/sign-in-failure.ts";
import { callSourceOf } from "../http/call-source.ts";
import { type RouteHandler, withEnvelope } from "../http/envelope.ts";
import { type Reply, seeOther } from "../http/reply.ts";
import { DATABASE_BUDGET_MS, getServices, type Services } from "../services.ts";
import { answerLink, startLink } from "./link-identity.ts";

/**
 * GET of a magic link. Redeems it in the browser that requested it, or after confirmation on the confirm page; otherwise
 * redirects to that page.
 */
export const verifyMagicLink: RouteHandler = browserRoute(async (services, authSecret, request) => {
  const query = singleQuery(request, "link_invalid");
  const { config } = services;
  const cookieHeader = request.headers.get("cookie");
  const token = query.get("token") ?? "";
  const email = parseEmailAddress(query.get("email") ?? "");
  const redirectTo = redirectPath(query.get("redirectTo"));
  if (token === "" || email === null) throw new SignInFailure("link_invalid");

  const isBound = isBoundBrowser(config, authSecret, cookieHeader, email) && !isPrefetch(request.headers);
  const isConfirmed = query.get("confirm") === "1" && isSameOriginNavigation(request.headers, config.baseUrl);
  if (!isBound && !isConfirmed) return seeOther(signInPageUrl("/login/confirm", { token, email }, redirectTo));
  const session = await redeemMagicLink(services, authSecret, { token, email, source: callSourceOf(request) });
  return signedInReply(services, request, session, redirectTo, [unbindBrowser(config)]);
});

/** HEAD of a magic link, as mail scanners send it. Does not redeem the link. */
export const headMagicLink: RouteHandler = withEnvelope(async () => seeOther("/login"));

/**
 * Starts an OAuth flow. A link on a page of another site leads to the sign-in page, where the person decides: a provider may
 * answer without asking. With `isToLink` it links an identity, as `startLink`.
 */
export async function goToProvider(
  { services, authSecret, request }: { services: Services; authSecret: string; request: Request },
  options: { provider: ProviderName; redirectTo: string | undefined; isToLink: boolean },
): Promise<Reply & { status: 303; body: undefined }> {
  const { provider, redirectTo, isToLink } = options;
  if (isToLink) return startLink(services, authSecret, request, { provider, redirectTo: redirectPath(redirectTo) });
  if (isFromElsewhere(request.headers, services.config.baseUrl)) {
    return seeOther(signInPageUrl("/login", {}, redirectPath(redirectTo)));
  }
  return startOAuth(services, authSecret, { provider, redirectTo }).then(
    ({ location, cookies }) => seeOther(location, cookies),
    (error) => failureReply(error, redirectTo),
  );
}

/** GET of the OAuth callback URL. */
export const oauthCallback: RouteHandler = browserRoute(async (services, authSecret, request, params) => {
  const provider = enabledProviderOrThrow(services, params.provider);
  const cookieHeader = request.headers.get("cookie");
  const redirectTo = storedRedirectPath(services.config, cookieHeader);
  const query = singleQuery(request, "provider_refused");
  const callback = { provider, query, cookieHeader, source: callSourceOf(request) };
  if (wasToLink(services.config, cookieHeader)) return answerLink(services, authSecret, request, callback, redirectTo);
  try {
    const session = await finishOAuth(services, authSecret, callback);
    return await signedInReply(services, request, session, redirectTo, clearedOAuthCookies(services.config));
  } catch (error) {
    return failureReply(error, redirectTo, clearedOAuthCookies(services.config));
  }
});

/**
 * The query, if it names no parameter twice: two programs could each take another of the values for the right one. Throws
 * SignInFailure `code` otherwise, before anything of the query is used.
 */
function singleQuery(request: Request, code: SignInFailureCode): URLSearchParams {
  const { searchParams } = new URL(request.url);
  if (new Set(searchParams.keys()).size < searchParams.size) throw new SignInFailure(code);
  return searchParams;
}

/** The provider of this name. Throws NOT_FOUND when it is unknown, UNAVAILABLE when it is not configured. */
export function enabledProviderOrThrow({ config }: Pick<Services, "config">, name: string | undefined): ProviderName {
  const provider = PROVIDERS.find((one) => one === name);
  if (!provider) throw new AppError("NOT_FOUND", `The providers are ${PROVIDERS.join(" and ")}.`);
  if (enabledProviders(config).includes(provider)) return provider;
  throw new AppError("UNAVAILABLE", `Sign-in with ${PROVIDER_NAMES[provider]} is not configured here.`);
}

/** Redirects to the sign-in page with the failure's code. Throws any other error. */
function failureReply(error: unknown, redirectTo: string | undefined, cookies: readonly string[] = []) {
  if (error instanceof DatabaseUnavailable) return failureReply(new SignInFailure("unavailable"), redirectTo, cookies);
  if (!(error instanceof SignInFailure)) throw error;
  return seeOther(signInPageUrl("/login", { error: error.code }, redirectTo), cookies);
}

/** Maps a SignInFailure of `work` to UNAVAILABLE, for API clients. */
export async function mailFailureAsUnavailable<T>(work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    if (!(error instanceof SignInFailure)) throw error;
    throw new AppError("UNAVAILABLE", "The e-mail could not be sent. Try again in a moment.", {
      cause: error,
      headers: { "Retry-After": "30" },
    });
  });
}

async function signedInReply(
  services: Services,
  request: Request,
  session: string,
  redirectTo: string,
  cookies: readonly string[],
): Promise<Reply> {
  const formerSessions = readSessionTokens(request.headers.get("cookie")).map(hashSessionToken);
  // The new cookie replaces these tokens in the browser: end their sessions, since no one else can.
  await services.anonymous.run(DATABASE_BUDGET_MS, ({ db }) =>
    endSessionsByHash(db, formerSessions, { actor: "sign_in", ...callSourceOf(request) }),
  );
  return seeOther(redirectTo, [sessionCookie(services.config, session, 0), ...cookies]);
}

/** A route handler for browser navigation: failures redirect to the sign-in page. */
function browserRoute(
  work: (services: Services, authSecret: string, request: Request, params: Record<string, string>) => Promise<Reply>,
): RouteHandler {
  return withEnvelope(async (request, context) => {
    const services = getServices();
    try {
      const { authSecret } = await services.installation();
      return await work(services, authSecret, request, (await context.params) as Record<string, string>);
    } catch (error) {
      const [redirectTo, ...more] = new URL(request.url).searchParams.getAll("redirectTo");
      return failureReply(error, redirectPath(more.length === 0 ? redirectTo : undefined));
    }
  });
}
