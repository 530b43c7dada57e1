import { touchSession } from "#db/queries/accounts/sessions.ts";
import { DATABASE_BUDGET_MS, type Services } from "../services.ts";

/** Writes `last_used_at` of a session and renews it when due, in the background. A failure is logged only. */
export function recordSessionUse({ database, log }: Services, tokenHash: string): void {
  if (writing.has(tokenHash)) return;
  writing.add(tokenHash);
  database
    .run(DATABASE_BUDGET_MS, ({ db }) => touchSession(db, tokenHash))
    .catch((error) => log.warn({ err: error }, "writing last_used_at of a session failed"))
    .finally(() => writing.delete(tokenHash));
}

// One write per session at a time: concurrent ones would wait for the same row lock.
const writing = new Set<string>();
