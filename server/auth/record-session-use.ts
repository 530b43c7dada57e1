import { touchSession } from "#db/queries/accounts/sessions.ts";
import { DATABASE_BUDGET_MS, type Services } from "../services.ts";

/** Writes `last_used_at` of a session, and renews it when it is due, beside the answer. Failure is logged and harmless. */
export function noteSessionUse({ connection, log }: Services, tokenHash: string): void {
  if (writing.has(tokenHash)) return;
  writing.add(tokenHash);
  connection
    .run(DATABASE_BUDGET_MS, ({ db }) => touchSession(db, tokenHash))
    .catch((error) => log.warn({ err: error }, "the use of a session was not written"))
    .finally(() => writing.delete(tokenHash));
}

// Of many calls at once, one writes: they would wait for each other's row.
const writing = new Set<string>();
