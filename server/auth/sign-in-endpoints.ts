import { DatabaseUnavailable } from "#db/client.ts";
import { deleteSessionsByHash } from "#db/queries/accounts/sessions.ts";
import { AppError } from "#domain/errors.ts";
import { hashSessionToken } from "#domain/session-token.ts";
import { answering, type RouteHandler } from "../http/envelope.ts";
import { type Reply, seeOther } from "../http/reply.ts";
import { DATABASE_BUDGET_MS, type Services, services } from "../services.ts";
import { isBoundBrowser, unbindBrowser } from "./browser-binding.ts";
import { isFromOwnPage, isPrefetch } from "./confirmation.ts";
import { offeredProviders, PROVIDERS, type ProviderName } from "./enabled-providers.ts";
import { redeemMagicLink } from "./magic-link.ts";
import { destinationOf, finishOAuth, forgetOAuth } from "./oauth.ts";
import { emailOf } from "./parse-email.ts";
import { destination, signInPage } from "./redirects.ts";
import { readSessionTokens, sessionCookie } from "./session-cookie.ts";
import { SignInFailure } from "./sign-in-failure.ts";

const USER_AGENT_LENGTH_MAX = 300;
const NAMES = { google: "Google", github: "GitHub" };

/** GET of the address in a mail. It uses the link up only for whoever asked for it, or confirmed on our page. */
export const verifyLink: RouteHandler = navigation(async (held, authSecret, request) => {
  const { searchParams: query } = new URL(request.url);
  const { config } = held;
  const cookieHeader = request.headers.get("cookie");
  const token = query.get("token") ?? "";
  const email = emailOf(query.get("email") ?? "");
  const redirectTo = destination(query.get("redirectTo"));
  if (token === "" || email === null) throw new SignInFailure("link_invalid");

  const isBound = isBoundBrowser(config, authSecret, cookieHeader, email) && !isPrefetch(request.headers);
  const isConfirmed = query.get("confirm") === "1" && isFromOwnPage(request.headers, config.baseUrl);
  if (!isBound && !isConfirmed) return seeOther(signInPage("/login/confirm", { token, email }, redirectTo));
  const session = await redeemMagicLink(held, authSecret, { token, email, userAgent: userAgentOf(request) });
  return signedIn(held, request, session, redirectTo, [unbindBrowser(config)]);
});

/** HEAD of the address in a mail: what a scanner sees that follows links. It uses nothing up. */
export const headOfLink: RouteHandler = answering(async () => seeOther("/login"));

/** GET of the address that a provider sends people back to. */
export const comeBack: RouteHandler = navigation(async (held, authSecret, request, params) => {
  const provider = offeredProvider(held, params.provider);
  const cookieHeader = request.headers.get("cookie");
  const redirectTo = destinationOf(held.config, cookieHeader);
  const { searchParams: query } = new URL(request.url);
  try {
    const came = { provider, query, cookieHeader, userAgent: userAgentOf(request) };
    const session = await finishOAuth(held, authSecret, came);
    return await signedIn(held, request, session, redirectTo, forgetOAuth(held.config));
  } catch (error) {
    return failed(error, redirectTo, forgetOAuth(held.config));
  }
});

/** The provider of this name. Throws NOT_FOUND when there is none, and UNAVAILABLE when it is not configured here. */
export function offeredProvider({ config }: Pick<Services, "config">, name: string | undefined): ProviderName {
  const provider = PROVIDERS.find((one) => one === name);
  if (!provider) throw new AppError("NOT_FOUND", `The providers are ${PROVIDERS.join(" and ")}.`);
  if (offeredProviders(config).includes(provider)) return provider;
  throw new AppError("UNAVAILABLE", `Sign-in with ${NAMES[provider]} is not configured here.`);
}

/** To the page that says why a sign-in came to nothing. Throws what nobody is told there. */
export function failed(error: unknown, redirectTo: string | undefined, cookies: readonly string[] = []) {
  if (error instanceof DatabaseUnavailable) return failed(new SignInFailure("unavailable"), redirectTo, cookies);
  if (!(error instanceof SignInFailure)) throw error;
  return seeOther(signInPage("/login", { error: error.code }, redirectTo), cookies);
}

/** What is told to a program about a mail that was not taken: UNAVAILABLE. */
export async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    if (!(error instanceof SignInFailure)) throw error;
    throw new AppError("UNAVAILABLE", "The mail could not be sent. Try again in a moment.", {
      cause: error,
      headers: { "Retry-After": "30" },
    });
  });
}

/** The browser that signs in, as its owner's list of sessions shows it. */
export function userAgentOf({ headers }: Pick<Request, "headers">): string | null {
  return (
    headers
      .get("user-agent")
      ?.replace(/\p{Cc}/gu, " ")
      .slice(0, USER_AGENT_LENGTH_MAX) || null
  );
}

async function signedIn(
  held: Services,
  request: Request,
  session: string,
  redirectTo: string,
  cookies: readonly string[],
): Promise<Reply> {
  const before = readSessionTokens(request.headers.get("cookie")).map(hashSessionToken);
  // The browser forgets these, so nobody could end them any more.
  await held.connection.run(DATABASE_BUDGET_MS, ({ db }) => deleteSessionsByHash(db, before));
  return seeOther(redirectTo, [sessionCookie(held.config, session), ...cookies]);
}

/** The handler of an address that people's browsers are sent to: what fails is told by a page. */
function navigation(
  work: (held: Services, authSecret: string, request: Request, params: Record<string, string>) => Promise<Reply>,
): RouteHandler {
  return answering(async (request, context) => {
    const held = services();
    try {
      const { authSecret } = await held.installation();
      return await work(held, authSecret, request, (await context.params) as Record<string, string>);
    } catch (error) {
      return failed(error, destination(new URL(request.url).searchParams.get("redirectTo")));
    }
  });
}
