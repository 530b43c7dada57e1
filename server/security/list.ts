import type { EventListInput } from "#contract/inputs/event-list-input.ts";
import { listSecurityEvents, type SecurityEventPage } from "#db/queries/accounts/security-events.ts";
import type { Ctx } from "../context.ts";

/** One page of the security log of the caller's account, the newest first. */
export async function listOwnEvents(ctx: Ctx, input: EventListInput): Promise<SecurityEventPage> {
  return ctx.query(({ db }) => listSecurityEvents(db, ctx.tenant.accountId, input));
}
