import { callerAddress } from "#domain/caller-address.ts";
import { AppError } from "#domain/errors.ts";
import { SOCKET_ADDRESS } from "../edge/socket-address.ts";
import type { ResponseMeta } from "../http/envelope.ts";
import { services } from "../services.ts";
import type { Standing } from "./rate-limiter.ts";

/**
 * Authenticates by `work`. A caller whose address was refused too often within the minute gets RATE_LIMITED and is not
 * looked up, unless this process has accepted the same credential before: behind a proxy that is not trusted, everybody
 * has one address.
 */
export async function limitRefusals<T>(request: Request, meta: ResponseMeta, work: () => Promise<T>): Promise<T> {
  const { rateLimits } = services();
  const credential = request.headers.get("authorization") ?? request.headers.get("cookie") ?? "";
  if (!rateLimits.isQuiet() && !rateLimits.wasAccepted(credential)) {
    const address = addressOf(request);
    const before = address === null ? null : rateLimits.refusals(address);
    if (before?.isOver) throw tooMany(meta, "refused", before, REFUSED);
  }
  try {
    const accepted = await work();
    rateLimits.accept(credential);
    return accepted;
  } catch (error) {
    if (isRefusal(error)) rateLimits.forget(credential);
    const address = isRefusal(error) ? addressOf(request) : null;
    if (address === null) throw error;
    const standing = await rateLimits.refuse(address);
    if (standing.isOver) throw tooMany(meta, "refused", standing, REFUSED);
    note(meta, "refused", standing);
    throw error;
  }
}

/** Counts a call of an account. Throws RATE_LIMITED when it is more than `limit` within the minute. */
export async function limitCalls(meta: ResponseMeta, accountId: string, limit: number): Promise<void> {
  meta.accountId = accountId;
  const standing = await services().rateLimits.call(accountId, limit);
  if (standing.isOver) throw tooMany(meta, "account", standing, `This account may call ${limit} times a minute.`);
  note(meta, "account", standing);
}

/** The address a call came from, seen through the proxies that are trusted; null where nobody knows. */
export function addressOf(request: Pick<Request, "headers">): string | null {
  const socketAddress = request.headers.get(SOCKET_ADDRESS) ?? "";
  return callerAddress(socketAddress, request.headers.get("x-forwarded-for"), services().config.trustedProxies);
}

const REFUSED = "Too many credentials from this address were refused.";

const isRefusal = (error: unknown) => error instanceof AppError && error.code === "UNAUTHORIZED";

/** Source of both fields: draft-ietf-httpapi-ratelimit-headers-10. */
function note(meta: ResponseMeta, policy: string, { limit, remaining, resetS }: Standing): void {
  meta.headers["RateLimit-Policy"] = `"${policy}";q=${limit};w=60`;
  meta.headers.RateLimit = `"${policy}";r=${remaining};t=${resetS}`;
}

function tooMany(meta: ResponseMeta, policy: string, standing: Standing, message: string): AppError {
  note(meta, policy, standing);
  return new AppError("RATE_LIMITED", `${message} Try again in ${standing.resetS} s.`, {
    headers: { "Retry-After": String(standing.resetS) },
  });
}
