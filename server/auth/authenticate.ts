import { type ActiveApiKey, findActiveApiKey } from "#db/queries/api-keys.ts";
import { hashApiKey, parseApiKey } from "#domain/api-key.ts";
import { AppError } from "#domain/errors.ts";
import type { Query } from "../context.ts";

/**
 * The API key of a call: `Authorization: Bearer <API_KEY>`, the scheme in any letter case. One that is missing,
 * malformed, unknown or revoked, or whose account is not active, throws the same UNAUTHORIZED; the malformed one without
 * a look-up. Nothing is cached: a revoked key is refused at once.
 */
export async function authenticate(headers: Headers, query: Query): Promise<ActiveApiKey> {
  const key = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (key === undefined || parseApiKey(key) === null) throw unauthorized();
  const found = await query(({ db }) => findActiveApiKey(db, hashApiKey(key)));
  if (found === undefined) throw unauthorized();
  return found;
}

/** The one answer to every credential that does not count. */
export function unauthorized(): AppError {
  return new AppError("UNAUTHORIZED", "A valid API key is needed: Authorization: Bearer <API_KEY>.", {
    headers: { "WWW-Authenticate": "Bearer" },
  });
}
