import { touchApiKey } from "#db/queries/accounts/api-keys.ts";
import { DATABASE_BUDGET_MS, type Services } from "../services.ts";

/** Writes `last_used_at` of a key beside the answer, never before it. Failure is logged and otherwise harmless. */
export function noteKeyUse({ connection, log }: Services, keyId: string): void {
  if (writing.has(keyId)) return;
  writing.add(keyId);
  connection
    .run(DATABASE_BUDGET_MS, ({ db }) => touchApiKey(db, keyId))
    .catch((error) => log.warn({ err: error, keyId }, "last_used_at was not written"))
    .finally(() => writing.delete(keyId));
}

// Of many calls at once, one writes: they would wait for each other's row.
const writing = new Set<string>();
