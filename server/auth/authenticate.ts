import { type ActiveApiKey, findActiveApiKey } from "#db/queries/accounts/api-keys.ts";
import { findActiveSessions } from "#db/queries/accounts/sessions.ts";
import { hashApiKey, parseApiKey } from "#domain/api-key.ts";
import type { Environment } from "#domain/environment.ts";
import { AppError } from "#domain/errors.ts";
import type { PlanName } from "#domain/plans.ts";
import { hashSessionToken } from "#domain/session-token.ts";
import type { Credential, Query } from "../context.ts";
import type { Services } from "../services.ts";
import { cacheCaller } from "./cached-credentials.ts";
import { noteKeyUse } from "./record-key-use.ts";
import { noteSessionUse } from "./record-session-use.ts";
import { assertSameOrigin } from "./same-origin.ts";
import { readSessionTokens, sessionCookie } from "./session-cookie.ts";

export type Caller = {
  accountId: string;
  plan: PlanName;
  /** The environment of a key; null for a session, which may act in either. */
  env: Environment | null;
  credential: Credential;
  /** For the answer, when the session was renewed. */
  setCookie?: string;
};

/**
 * Who calls, by `Authorization: Bearer <API_KEY>` (the scheme in any letter case) or else by the session cookie: a
 * request with an `Authorization` header is judged by that alone. A credential that is missing, malformed, unknown,
 * revoked, expired, or of an account that is not active throws the same UNAUTHORIZED; the malformed one without a
 * look-up. What was revoked is refused at once.
 */
export async function authenticate(held: Services, request: Request, query: Query): Promise<Caller> {
  const authorization = request.headers.get("authorization");
  return authorization === null
    ? authenticateSession(held, request, query)
    : authenticateKey(held, authorization, query);
}

/**
 * Throws FORBIDDEN for a key where a session is needed, and for what another site's page has a signed-in browser write.
 * Apart from `authenticate`, since such a call counts as one of the account's.
 */
export function assertMayCall(
  { credential }: Caller,
  auth: "any" | "session",
  { method, headers }: Request,
  baseUrl: string,
): void {
  if (credential.kind === "key" && auth === "session") {
    throw new AppError("FORBIDDEN", "An API key may not do this; it needs a signed-in session.");
  }
  if (credential.kind === "session" && !READS.has(method)) assertSameOrigin(headers, baseUrl);
}

/** The one answer to every credential that does not count. */
export function unauthorized(): AppError {
  return new AppError("UNAUTHORIZED", "A valid API key (Authorization: Bearer <API_KEY>) or a session is needed.", {
    headers: { "WWW-Authenticate": "Bearer" },
  });
}

async function authenticateKey(held: Services, authorization: string, query: Query): Promise<Caller> {
  const key = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (key === undefined || parseApiKey(key) === null) throw unauthorized();
  const found = await query(({ db }) => findActiveApiKey(db, hashApiKey(key)));
  const caller = found && callerOf(found);
  cacheCaller(authorization, caller);
  if (caller === undefined) throw unauthorized();
  if (found?.isStale) noteKeyUse(held, found.id);
  return caller;
}

function callerOf({ id, accountId, plan, env }: ActiveApiKey): Caller {
  return { accountId, plan, env, credential: { kind: "key", id, env } };
}

/** Who calls by the session cookie alone. */
export async function authenticateSession(
  held: Services,
  request: Pick<Request, "headers">,
  query: Query,
): Promise<Caller> {
  const tokens = new Map(
    readSessionTokens(request.headers.get("cookie")).map((token) => [hashSessionToken(token), token]),
  );
  const hashes = [...tokens.keys()];
  const found = hashes.length > 0 ? await query(({ db }) => findActiveSessions(db, hashes)) : [];
  const session = hashes
    .map((hash) => found.find(({ tokenHash }) => tokenHash === hash))
    .find((one) => one !== undefined);
  if (session === undefined) throw unauthorized();

  const { id, accountId, plan, tokenHash, isStale, isRenewable } = session;
  if (isStale || isRenewable) noteSessionUse(held, tokenHash);
  return {
    accountId,
    plan,
    env: null,
    credential: {
      kind: "session",
      id,
      isAdmin: session.emailVerified && held.config.adminEmails.has(session.email),
    },
    ...(isRenewable && { setCookie: sessionCookie(held.config, tokens.get(tokenHash) as string) }),
  };
}

const READS = new Set(["GET", "HEAD", "OPTIONS"]);
