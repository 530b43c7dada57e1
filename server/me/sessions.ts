import { listSessions, type SessionRow } from "#db/queries/accounts/sessions.ts";
import { encodeId } from "#domain/ids.ts";
import type { Ctx } from "../context.ts";

const SESSIONS_MAX = 100;

/** The sessions of the caller's account, most recently used first. */
export async function listOwnSessions(ctx: Ctx): Promise<SessionRow[]> {
  return ctx.query(({ db }) => listSessions(db, ctx.tenant.accountId, SESSIONS_MAX));
}

/** A session as its owner sees it; `current` marks the session of this request. */
export function presentSession({ credential }: Pick<Ctx, "credential">, row: SessionRow) {
  return {
    id: encodeId("ses", row.id),
    userAgent: row.userAgent,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    current: credential.kind === "session" && credential.id === row.id,
  };
}
