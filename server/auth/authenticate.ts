import { type FoundApiKey, findApiKeyByHash } from "#db/queries/accounts/api-keys.ts";
import { findSessionsByHash } from "#db/queries/accounts/sessions.ts";
import { hashApiKey, parseApiKey } from "#domain/api-key.ts";
import { AppError, Unauthorized } from "#domain/errors.ts";
import { hashSessionToken } from "#domain/session-token.ts";
import type { Caller, Query } from "../context.ts";
import { callSourceOf } from "../http/call-source.ts";
import type { Services } from "../services.ts";
import { bearerToken } from "./bearer-token.ts";
import { cacheCaller } from "./cached-credentials.ts";
import { recordKeyUse } from "./record-key-use.ts";
import { recordSessionUse } from "./record-session-use.ts";
import { assertSameOrigin } from "./same-origin.ts";
import { clearedSessionCookies, readSessionTokens, SESSION_TOKENS_MAX, sessionCookie } from "./session-cookie.ts";

/**
 * Authenticates a request by `Authorization: Bearer <API_KEY>` (scheme case-insensitive), or by the session cookie when
 * there is no `Authorization` header. Throws the same UNAUTHORIZED for a credential that is missing, malformed, unknown
 * or revoked, or whose account is not active; that for an expired key says so. Always looks the credential up, so revocation takes effect at once;
 * only a malformed key is rejected without a look-up.
 */
export async function authenticate(services: Services, request: Request, query: Query): Promise<Caller> {
  const authorization = request.headers.get("authorization");
  return authorization === null
    ? authenticateSession(services, { headers: request.headers, path: new URL(request.url).pathname }, query)
    : authenticateKey(services, request, authorization, query);
}

/**
 * Throws FORBIDDEN for an API key where a session is required, for anything but a test key where one is required, and for
 * a cross-origin write with a session (CSRF).
 * Separate from `authenticate` because these requests count towards the account's rate limit.
 */
export function assertMayCall(
  { credential }: Caller,
  auth: "any" | "session" | "testKey",
  { method, headers }: Request,
  baseUrl: string,
): void {
  if (credential.kind === "key" && auth === "session") {
    throw new AppError("FORBIDDEN", "This endpoint requires a signed-in session; an API key is not sufficient.");
  }
  if (auth === "testKey" && !(credential.kind === "key" && credential.env === "test")) {
    throw new AppError("FORBIDDEN", "This endpoint requires an API key of the test environment (sw_test_…).");
  }
  if (credential.kind === "session" && !READ_METHODS.has(method)) assertSameOrigin(headers, baseUrl);
}

function expired(at: Date): AppError {
  return new Unauthorized(`This API key was rotated and expired at ${at.toISOString()}. Use the key that replaced it.`);
}

async function authenticateKey(
  services: Services,
  request: Request,
  authorization: string,
  query: Query,
): Promise<Caller> {
  const key = bearerToken(authorization);
  if (key === undefined || parseApiKey(key) === null) throw new Unauthorized();
  const row = await query(({ db }) => findApiKeyByHash(db, hashApiKey(key)));
  const caller = row?.refusal === null ? toCaller(row) : undefined;
  cacheCaller(authorization, caller);
  if (row && row.refusal !== null) {
    const { id: subjectId, accountId, name: keyName, env, refusal: reason } = row;
    services.refusals.record({ accountId, subjectId, details: { keyName, env, reason }, ...callSourceOf(request) });
  }
  if (caller === undefined)
    throw row?.refusal === "expired" && row.expiresAt ? expired(row.expiresAt) : new Unauthorized();
  if (row?.isStale) recordKeyUse(services, row.id);
  return caller;
}

function toCaller({ id, accountId, plan, env }: FoundApiKey): Caller {
  return { accountId, plan, env, credential: { kind: "key", id, env } };
}

/**
 * Authenticates by the session cookie alone; throws UNAUTHORIZED as `authenticate` does. Of several sessions of one account
 * the first in the header counts. Those of two accounts authenticate nobody, since anyone may have added one of them; the
 * error clears the cookies. `path` is that of the request.
 */
export async function authenticateSession(
  services: Services,
  { headers, path }: { headers: Headers; path: string },
  query: Query,
): Promise<Caller> {
  const tokens = new Map(readSessionTokens(headers.get("cookie")).map((token) => [hashSessionToken(token), token]));
  const hashes = [...tokens.keys()];
  if (hashes.length > SESSION_TOKENS_MAX) throw ambiguous(services, path);
  const found = hashes.length > 0 ? await query(({ db }) => findSessionsByHash(db, hashes)) : [];
  const rows = found.filter(({ refusal }) => refusal === null);
  if (new Set(rows.map(({ accountId }) => accountId)).size > 1) throw ambiguous(services, path);
  const session = hashes
    .map((hash) => rows.find(({ tokenHash }) => tokenHash === hash))
    .find((one) => one !== undefined);
  if (session === undefined) {
    for (const { id: subjectId, accountId, refusal } of found) {
      const details = refusal === null ? {} : { reason: refusal };
      services.refusals.record({ accountId, subjectId, details, ...callSourceOf({ headers }) });
    }
    throw new Unauthorized();
  }

  const { id, accountId, plan, tokenHash, ageS, isStale, isRenewable } = session;
  if (isStale || isRenewable) recordSessionUse(services, tokenHash);
  return {
    accountId,
    plan,
    env: null,
    credential: {
      kind: "session",
      id,
      ageS,
      email: session.email,
      isAdmin: session.emailVerified && services.config.adminEmails.has(session.email),
    },
    ...(isRenewable && { setCookie: sessionCookie(services.config, tokens.get(tokenHash) as string, ageS) }),
  };
}

function ambiguous({ config }: Services, path: string): AppError {
  return new Unauthorized("The request has sw_session cookies of several accounts. Sign in again.", {
    cookies: clearedSessionCookies(config, path),
  });
}

const READ_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
