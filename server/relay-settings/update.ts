import { saveRelaySettings } from "#db/queries/accounts/relay-settings.ts";
import { clampRelaySettings, type RelaySettingsPatch, type SavedRelaySettings } from "#domain/relay-settings.ts";
import type { Ctx } from "../context.ts";

/** Saves a patch, clamped to the plan's limits; returns the saved settings. Throws what `clampRelaySettings` throws. */
export async function updateOwnRelaySettings(ctx: Ctx, patch: RelaySettingsPatch): Promise<SavedRelaySettings> {
  const clamped = clampRelaySettings(patch, ctx.limits);
  return ctx.query(({ db }) => saveRelaySettings(db, ctx.tenant.accountId, clamped));
}
