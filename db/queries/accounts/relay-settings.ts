import { eq, sql } from "drizzle-orm";
import {
  type AccountRelaySettings,
  INHERITED_RELAY_SETTINGS,
  type RelaySettingsPatch,
  TEST_DELIVERIES_DAYS,
} from "#domain/relay-settings.ts";
import type { DbOrTx } from "../../orm.ts";
import { relaySettings } from "../../schema/index.ts";

/** The relay settings that an account has saved. */
export async function readRelaySettings(db: DbOrTx, accountId: string): Promise<AccountRelaySettings> {
  const [row] = await db.select(settings).from(relaySettings).where(eq(relaySettings.accountId, accountId)).limit(1);
  return row ?? NONE;
}

/** As `readRelaySettings`, and keeps others from changing them until the transaction ends. */
export async function lockRelaySettings(tx: DbOrTx, accountId: string): Promise<AccountRelaySettings> {
  await tx.insert(relaySettings).values({ accountId }).onConflictDoNothing();
  const [row] = await tx
    .select(settings)
    .from(relaySettings)
    .where(eq(relaySettings.accountId, accountId))
    .for("update");
  return row ?? NONE;
}

/** Saves the settings of a patch, null included. Omitted ones stay. Returns what is saved now. */
export async function saveRelaySettings(
  db: DbOrTx,
  accountId: string,
  { testDeliveriesToListeners: isOpen, ...knobs }: RelaySettingsPatch,
): Promise<AccountRelaySettings> {
  const patch = {
    ...knobs,
    ...(isOpen !== undefined && {
      testDeliveriesUntil: isOpen ? sql`clock_timestamp() + make_interval(days => ${TEST_DELIVERIES_DAYS}::int)` : null,
    }),
  };
  const [row] = await db
    .insert(relaySettings)
    .values({ accountId, ...patch })
    .onConflictDoUpdate({ target: relaySettings.accountId, set: { ...patch, updatedAt: sql`clock_timestamp()` } })
    .returning(settings);
  if (!row) throw new Error("the relay settings were not saved");
  return row;
}

const NONE: AccountRelaySettings = { ...INHERITED_RELAY_SETTINGS, testDeliveriesUntil: null };

const until = relaySettings.testDeliveriesUntil;

const settings = {
  cpsLimit: relaySettings.cpsLimit,
  retryAttempts: relaySettings.retryAttempts,
  retryBackoffMs: relaySettings.retryBackoffMs,
  retryStrategy: relaySettings.retryStrategy,
  earlyFire: relaySettings.earlyFire,
  testDeliveriesUntil: sql<Date | null>`CASE WHEN ${until} > clock_timestamp() THEN ${until} END`.mapWith(until),
};
