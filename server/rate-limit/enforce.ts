import { AppError } from "#domain/errors.ts";
import type { PlanLimits } from "#domain/plans.ts";
import { hasSessionCookie } from "../auth/session-cookie.ts";
import type { RateLimitStatus } from "../counters/rate-limiter.ts";
import { callerAddressOf } from "../http/caller-address.ts";
import type { ResponseMeta } from "../http/envelope.ts";
import { getServices } from "../services.ts";
import { acceptedParty, credentialsOfCall, forgetAccepted, rememberAccepted } from "./accepted-credentials.ts";

/**
 * Runs `work`, which authenticates the request by one of `credentials`, and counts rejected credentials per network. Above the
 * limit it throws RATE_LIMITED without running `work`, except for a credential that this process has accepted before (`isKnown`):
 * behind an untrusted proxy all callers share one address. A request without a credential is rejected and not counted.
 * `partyOf` says whose the accepted credential is.
 */
export async function limitRejections<T>(
  request: Pick<Request, "headers">,
  meta: ResponseMeta,
  work: (isKnown: boolean) => Promise<T>,
  partyOf: (accepted: T) => string,
  credentials = credentialsOfCall(request.headers.get("authorization"), request.headers.get("cookie")),
): Promise<T> {
  const { rateLimiter } = getServices();
  const isKnown = acceptedParty(credentials) !== undefined;
  const { headers } = request;
  const isMissing = !credentials.length && !headers.get("authorization") && !hasSessionCookie(headers.get("cookie"));
  if (!rateLimiter.hasNoRejections() && !isKnown && !isMissing) {
    const address = callerAddressOf(request);
    const status = address === null ? null : rateLimiter.readRejections(address);
    if (status?.isOver) throw rateLimited(meta, "refused", status, TOO_MANY_REJECTIONS);
  }
  try {
    const accepted = await work(isKnown);
    rememberAccepted(credentials, partyOf(accepted));
    return accepted;
  } catch (error) {
    if (isRejection(error)) forgetAccepted(credentials);
    const address = isRejection(error) ? callerAddressOf(request) : null;
    if (address === null) throw error;
    const status = isMissing ? rateLimiter.readRejections(address) : await rateLimiter.countRejection(address);
    if (status.isOver && !isMissing) throw rateLimited(meta, "refused", status, TOO_MANY_REJECTIONS);
    setRateLimitHeaders(meta, "refused", status);
    throw error;
  }
}

/** The party of an accepted caller: their account, whichever of its credentials they have. */
export const partyOfAccount = ({ accountId }: { accountId: string }): string => `account ${accountId}`;

/** Counts a request of an account. Throws RATE_LIMITED above `limit` requests per minute. */
export async function limitRequests(meta: ResponseMeta, accountId: string, limit: number): Promise<void> {
  meta.accountId = accountId;
  const status = await getServices().rateLimiter.countRequest(accountId, limit);
  if (status.isOver)
    throw rateLimited(meta, "account", status, `This account is limited to ${limit} requests per minute.`);
  setRateLimitHeaders(meta, "account", status);
}

/**
 * Counts the opening of a stream, or an answer to a delivery. Throws RATE_LIMITED above twice as many a minute as the plan
 * lets deliver: each delivery is answered once, and perhaps once more. The account's requests per minute are not used up, so
 * that neither stops the other.
 */
export async function limitListening(meta: ResponseMeta, accountId: string, { cpsLimit }: PlanLimits): Promise<void> {
  meta.accountId = accountId;
  const limit = 2 * 60 * cpsLimit;
  const status = await getServices().rateLimiter.countListening(accountId, limit);
  if (status.isOver) {
    throw rateLimited(
      meta,
      "listen",
      status,
      `The listeners of this account are limited to ${limit} API requests per minute.`,
    );
  }
  setRateLimitHeaders(meta, "listen", status);
}

/** Counts a request of a page that renews itself. Throws RATE_LIMITED above the limit of these. */
export async function limitRefreshes(accountId: string): Promise<void> {
  const status = await getServices().rateLimiter.countRefresh(accountId);
  if (status.isOver) throw rateLimited({ headers: {} }, "refresh", status, "Too many open pages renew themselves.");
}

/**
 * Counts a page that a browser loads ahead. Throws RATE_LIMITED above the limit of these, and where the account has used up its
 * `requests` per minute: so it is no way round that limit.
 */
export async function limitLoadedAhead(accountId: string, requests: number): Promise<void> {
  const status = await getServices().rateLimiter.countLoadedAhead(accountId, requests);
  if (status.isOver) throw rateLimited({ headers: {} }, "ahead", status, "Too many pages were loaded ahead.");
}

const TOO_MANY_REJECTIONS = "Too many invalid credentials were sent from this address.";

const isRejection = (error: unknown) => error instanceof AppError && error.code === "UNAUTHORIZED";

/** Source of both fields: draft-ietf-httpapi-ratelimit-headers-10. */
function setRateLimitHeaders(meta: ResponseMeta, policy: string, { limit, remaining, resetS }: RateLimitStatus): void {
  meta.headers["RateLimit-Policy"] = `"${policy}";q=${limit};w=60`;
  meta.headers.RateLimit = `"${policy}";r=${remaining};t=${resetS}`;
}

function rateLimited(meta: ResponseMeta, policy: string, status: RateLimitStatus, message: string): AppError {
  setRateLimitHeaders(meta, policy, status);
  return new AppError("RATE_LIMITED", `${message} Try again in ${status.resetS} s.`, {
    headers: { "Retry-After": String(status.resetS) },
  });
}
