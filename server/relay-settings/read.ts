import { readRelaySettings } from "#db/queries/accounts/relay-settings.ts";
import type { AccountRelaySettings } from "#domain/relay-settings.ts";
import type { Ctx } from "../context.ts";

/** The relay settings that the caller's account has saved. */
export async function readOwnRelaySettings(ctx: Ctx): Promise<AccountRelaySettings> {
  return ctx.query(({ db }) => readRelaySettings(db, ctx.tenant.accountId));
}
