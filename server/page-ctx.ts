import { DEFAULT_ENVIRONMENT, type Environment } from "#domain/environment.ts";
import { AppError } from "#domain/errors.ts";
import { authenticateSession } from "./auth/authenticate.ts";
import { type Ctx, createCtx, createQueries } from "./context.ts";
import { addCookieToAnswer, answeredPath, renewCookieOnAnswer } from "./edge/page-answer.ts";
import { callSourceOf } from "./http/call-source.ts";
import { getServices } from "./services.ts";

/**
 * The context of a page's verbs, authenticated by the session cookie in `headers`; null when nobody is signed in. Sends the
 * cookie again when that renewed the session, and clears the cookies of two accounts.
 * `writes`: run queries on the connections for writes instead of those for reads.
 */
export async function readPageCtx(
  headers: Headers,
  { env = DEFAULT_ENVIRONMENT, writes = false }: { env?: Environment; writes?: boolean } = {},
): Promise<Ctx | null> {
  const services = getServices();
  const installation = await services.installation();
  const { query, readsOf } = createQueries(services);
  try {
    const caller = await authenticateSession(services, { headers, path: answeredPath() }, query);
    if (caller.setCookie !== undefined) renewCookieOnAnswer(caller.setCookie);
    const read = readsOf(caller.accountId);
    return createCtx(services, installation, caller, env, {
      ...{ query: writes ? query : read, read },
      source: () => callSourceOf({ headers }),
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "UNAUTHORIZED") throw error;
    for (const cookie of error.cookies) addCookieToAnswer(cookie);
    return null;
  }
}
