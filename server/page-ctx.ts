import { DEFAULT_ENVIRONMENT, type Environment } from "#domain/environment.ts";
import { AppError } from "#domain/errors.ts";
import { authenticateSession } from "./auth/authenticate.ts";
import { type Ctx, createCtx, createQueries } from "./context.ts";
import { addCookieToAnswer, answeredPath, isRefreshByScript, renewCookieOnAnswer } from "./edge/page-answer.ts";
import { callSourceOf } from "./http/call-source.ts";
import { credentialOfPage } from "./rate-limit/accepted-credentials.ts";
import { limitRefreshes, limitRejections, limitRequests } from "./rate-limit/enforce.ts";
import { getServices } from "./services.ts";

type Options = {
  env?: Environment;
  /** Whether its queries run on the connections for writes instead of those for reads. */
  writes?: boolean;
  /** Whether a page asks by itself, such as the tail of the log. */
  isRefresh?: boolean;
};

/**
 * The context of a page's verbs, authenticated by the session cookie in `headers`; null when nobody is signed in. Sends the
 * cookie again when that renewed the session, and clears the cookies of two accounts. Counts the request of the page or form
 * towards the account's requests per minute, or towards its refreshes. Throws RATE_LIMITED above these limits, and above that
 * of refused credentials of a network.
 */
export async function readPageCtx(
  headers: Headers,
  { env = DEFAULT_ENVIRONMENT, writes = false, isRefresh = isRefreshByScript() }: Options = {},
): Promise<Ctx | null> {
  const services = getServices();
  // Before the credential is looked at: a visitor without one, too, learns that the database is away.
  const installation = await services.installation();
  const credential = credentialOfPage(headers.get("cookie"));
  if (credential === "") return null;
  const { query, anonymous, readsOf } = createQueries(services);
  const meta = { headers: {} };
  try {
    const authenticate = (isKnown: boolean) =>
      authenticateSession(services, { headers, path: answeredPath() }, isKnown ? query : anonymous);
    const caller = await limitRejections({ headers }, meta, authenticate, credential);
    if (caller.setCookie !== undefined) renewCookieOnAnswer(caller.setCookie);
    const read = readsOf(caller.accountId);
    const ctx = createCtx(services, installation, caller, env, {
      ...{ query: writes ? query : read, read },
      source: () => callSourceOf({ headers }),
    });
    if (isRefresh) await limitRefreshes(caller.accountId);
    else await limitRequests(meta, caller.accountId, ctx.limits.requestsPerMinute);
    return ctx;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "UNAUTHORIZED") throw error;
    for (const cookie of error.cookies) addCookieToAnswer(cookie);
    return null;
  }
}
