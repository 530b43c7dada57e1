import { readRelaySettings } from "#db/queries/accounts/relay-settings.ts";
import type { SavedRelaySettings } from "#domain/relay-settings.ts";
import type { Ctx } from "../context.ts";

/** The relay settings that the caller's account has saved. */
export async function readOwnRelaySettings(ctx: Ctx): Promise<SavedRelaySettings> {
  return ctx.query(({ db }) => readRelaySettings(db, ctx.tenant.accountId));
}
