import { lockRelaySettings, saveRelaySettings } from "#db/queries/accounts/relay-settings.ts";
import { type AccountRelaySettings, clampRelaySettings, type RelaySettingsPatch } from "#domain/relay-settings.ts";
import type { Ctx } from "../context.ts";
import { recordOwnEvent } from "../security/record-own-event.ts";

/**
 * Saves a patch, clamped to the plan's limits; returns the saved settings. Opening test deliveries to listeners, and closing
 * them, is in the security log. Throws what `clampRelaySettings` throws.
 */
export async function updateOwnRelaySettings(ctx: Ctx, patch: RelaySettingsPatch): Promise<AccountRelaySettings> {
  const clamped = clampRelaySettings(patch, ctx.limits);
  const { accountId } = ctx.tenant;
  const isOpen = clamped.testDeliveriesToListeners;
  if (isOpen === undefined) return ctx.query(({ db }) => saveRelaySettings(db, accountId, clamped));
  return ctx.query(({ db }) =>
    db.transaction(async (tx) => {
      const before = await lockRelaySettings(tx, accountId);
      const saved = await saveRelaySettings(tx, accountId, clamped);
      const details = { env: "test" } as const;
      if (isOpen) await recordOwnEvent(tx, ctx, { kind: "test_deliveries_opened", details });
      else if (before.testDeliveriesUntil) await recordOwnEvent(tx, ctx, { kind: "test_deliveries_closed", details });
      return saved;
    }),
  );
}
