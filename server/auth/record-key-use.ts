import { touchApiKey } from "#db/queries/accounts/api-keys.ts";
import { DATABASE_BUDGET_MS, type Services } from "../services.ts";

/** Writes `last_used_at` of a key in the background. A failure is logged only. */
export function recordKeyUse({ database, log }: Services, keyId: string): void {
  if (writing.has(keyId)) return;
  writing.add(keyId);
  database
    .run(DATABASE_BUDGET_MS, ({ db }) => touchApiKey(db, keyId))
    .catch((error) => log.warn({ err: error, keyId }, "writing last_used_at of an API key failed"))
    .finally(() => writing.delete(keyId));
}

// One write per key at a time: concurrent ones would wait for the same row lock.
const writing = new Set<string>();
