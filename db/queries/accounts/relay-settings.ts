import { eq, sql } from "drizzle-orm";
import { INHERITED_RELAY_SETTINGS, type RelaySettingsPatch, type SavedRelaySettings } from "#domain/relay-settings.ts";
import type { DbOrTx } from "../../orm.ts";
import { relaySettings } from "../../schema/index.ts";

/** The relay settings that an account has saved. */
export async function readRelaySettings(db: DbOrTx, accountId: string): Promise<SavedRelaySettings> {
  const [row] = await db.select(settings).from(relaySettings).where(eq(relaySettings.accountId, accountId)).limit(1);
  return row ?? INHERITED_RELAY_SETTINGS;
}

/** Saves the settings of a patch, null included. Omitted ones stay. Returns what is saved now. */
export async function saveRelaySettings(
  db: DbOrTx,
  accountId: string,
  patch: RelaySettingsPatch,
): Promise<SavedRelaySettings> {
  const [row] = await db
    .insert(relaySettings)
    .values({ accountId, ...patch })
    .onConflictDoUpdate({ target: relaySettings.accountId, set: { ...patch, updatedAt: sql`clock_timestamp()` } })
    .returning(settings);
  if (!row) throw new Error("the relay settings were not saved");
  return row;
}

const settings = {
  cpsLimit: relaySettings.cpsLimit,
  retryAttempts: relaySettings.retryAttempts,
  retryBackoffMs: relaySettings.retryBackoffMs,
  retryStrategy: relaySettings.retryStrategy,
  earlyFire: relaySettings.earlyFire,
};
