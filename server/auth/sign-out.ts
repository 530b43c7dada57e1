import { endSessionsByHash } from "#db/queries/accounts/sessions.ts";
import type { CallSource } from "#domain/security-events.ts";
import { hashSessionToken } from "#domain/session-token.ts";
import { DATABASE_BUDGET_MS, type Services } from "../services.ts";
import { readSessionTokens } from "./session-cookie.ts";

/** Ends every session whose token is in a `Cookie` header. */
export async function signOut(services: Services, cookieHeader: string | null, source: CallSource): Promise<void> {
  const hashes = readSessionTokens(cookieHeader).map(hashSessionToken);
  await services.database.run(DATABASE_BUDGET_MS, ({ db }) =>
    endSessionsByHash(db, hashes, { actor: "session", ...source }),
  );
}
