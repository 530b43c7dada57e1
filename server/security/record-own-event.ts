import type { DbOrTx } from "#db/orm.ts";
import { type NewSecurityEvent, recordSecurityEvent } from "#db/queries/accounts/security-events.ts";
import type { Ctx } from "../context.ts";

/** Writes what the caller did to the security log of their account. Call it in the transaction of the act. */
export async function recordOwnEvent(
  tx: DbOrTx,
  { tenant, credential, source }: Pick<Ctx, "tenant" | "credential" | "source">,
  event: Pick<NewSecurityEvent, "kind" | "subjectId" | "details" | "times">,
): Promise<void> {
  await recordSecurityEvent(tx, {
    ...event,
    ...source(),
    accountId: tenant.accountId,
    actor: credential.kind === "key" ? "api_key" : "session",
    actorId: credential.id,
  });
}
