import { DEFAULT_ENVIRONMENT, type Environment } from "#domain/environment.ts";
import { AppError } from "#domain/errors.ts";
import { isLoadedAhead } from "#domain/load-ahead.ts";
import { authenticateSession } from "./auth/authenticate.ts";
import { type Ctx, createCtx, createQueries } from "./context.ts";
import { callSourceOf } from "./http/call-source.ts";
import type { ResponseMeta } from "./http/envelope.ts";
import { addCookieToAnswer, answeredPath, isRefreshByScript, renewCookieOnAnswer } from "./http/page-answer.ts";
import { credentialsOfPage } from "./rate-limit/accepted-credentials.ts";
import {
  limitLoadedAhead,
  limitRefreshes,
  limitRejections,
  limitRequests,
  partyOfAccount,
} from "./rate-limit/enforce.ts";
import { getServices } from "./services.ts";

type SessionOptions = {
  env?: Environment;
  /** Whether its queries run on the connections for writes instead of those for reads. */
  writes?: boolean;
  meta?: ResponseMeta;
};

type Options = Omit<SessionOptions, "meta"> & {
  /** Whether a page asks by itself, such as the tail of the log. */
  isRefresh?: boolean;
};

/**
 * The context of a page's verbs, as `openSession`. Counts the request of the page towards the account's requests per minute,
 * towards its refreshes, or towards what it loads ahead. Throws RATE_LIMITED above these limits.
 */
export async function readPageCtx(
  headers: Headers,
  { isRefresh = isRefreshByScript(), ...options }: Options = {},
): Promise<Ctx | null> {
  const meta = { headers: {} };
  const ctx = await openSession(headers, { ...options, meta });
  if (ctx === null) return null;
  const { accountId } = ctx.tenant;
  if (isRefresh) await limitRefreshes(accountId);
  else if (isLoadedAhead(headers.get("sec-purpose"))) await limitLoadedAhead(accountId, ctx.limits.requestsPerMinute);
  else await limitRequests(meta, accountId, ctx.limits.requestsPerMinute);
  return ctx;
}

/**
 * The context of the session cookie in `headers`; null when nobody is signed in. Sends the cookie again when that renewed the
 * session, and clears the cookies of two accounts. Throws RATE_LIMITED above the limit of refused credentials of a network.
 */
export async function openSession(
  headers: Headers,
  { env = DEFAULT_ENVIRONMENT, writes = false, meta = { headers: {} } }: SessionOptions = {},
): Promise<Ctx | null> {
  const services = getServices();
  // Before the credential is looked at: a visitor without one, too, learns that the database is away.
  const installation = await services.installation();
  const credentials = credentialsOfPage(headers.get("cookie"));
  if (credentials.length === 0) return null;
  const { query, anonymous, readsOf } = createQueries(services);
  try {
    const authenticate = (isKnown: boolean) =>
      authenticateSession(services, { headers, path: answeredPath() }, isKnown ? query : anonymous);
    const caller = await limitRejections({ headers }, meta, authenticate, partyOfAccount, credentials);
    if (caller.setCookie !== undefined) {
      meta.renewedSession = caller.setCookie;
      renewCookieOnAnswer(caller.setCookie);
    }
    const read = readsOf(caller.accountId);
    return createCtx(services, installation, caller, env, {
      query: writes ? query : read,
      read,
      source: () => callSourceOf({ headers }),
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "UNAUTHORIZED") throw error;
    for (const cookie of error.cookies) addCookieToAnswer(cookie);
    return null;
  }
}
