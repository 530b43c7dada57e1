import { saveRelaySettings } from "#db/queries/accounts/relay-settings.ts";
import { clampRelaySettings, type RelaySettingsPatch, type SavedRelaySettings } from "#domain/relay-settings.ts";
import type { Ctx } from "../context.ts";

/** Saves a patch within the limits of the caller's plan; what is saved now. Throws VALIDATION as the clamping does. */
export async function updateOwnRelaySettings(ctx: Ctx, patch: RelaySettingsPatch): Promise<SavedRelaySettings> {
  const clamped = clampRelaySettings(patch, ctx.limits);
  return ctx.query(({ db }) => saveRelaySettings(db, ctx.tenant.accountId, clamped));
}
