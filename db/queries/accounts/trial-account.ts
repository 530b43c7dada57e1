import { eq } from "drizzle-orm";
import type { KeyRing } from "#domain/cipher.ts";
import { TRIAL_EMAIL } from "#domain/email-address.ts";
import type { DbOrTx } from "../../orm.ts";
import { accounts } from "../../schema/index.ts";
import { createOrFindAccount } from "./create.ts";
import { saveRelaySettings } from "./relay-settings.ts";

/**
 * Finds the account (UUID) that the trials of the first page belong to, or creates it. It has no key, session or subscription,
 * gets no notices, and its requests are sent once.
 */
export async function createOrFindTrialAccount(db: DbOrTx, keyRing: KeyRing, nowMs: number): Promise<string> {
  return db.transaction(async (tx) => {
    const wanted = { email: TRIAL_EMAIL, plan: "free" as const, keyRing, nowMs };
    const { id, created } = await createOrFindAccount(tx, wanted);
    if (created) {
      await tx.update(accounts).set({ name: "Trials of the first page", notices: false }).where(eq(accounts.id, id));
      await saveRelaySettings(tx, id, { retryAttempts: 0 });
    }
    return id;
  });
}
