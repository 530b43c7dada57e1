import { type IdentityRow, unlinkIdentities } from "#db/queries/accounts/identities.ts";
import { AppError } from "#domain/errors.ts";
import { decodeId } from "#domain/ids.ts";
import type { ProviderName } from "#domain/providers.ts";
import type { Ctx } from "../context.ts";
import { recordOwnEvent } from "../security/record-own-event.ts";

/** Removes one identity (`idn_…`) of the caller's account. Throws NOT_FOUND. */
export async function removeOwnIdentity(ctx: Ctx, identityId: string): Promise<void> {
  const id = decodeId("idn", identityId);
  if (id === null || (await remove(ctx, { id })).length === 0) throw noSuchIdentity();
}

/** Removes the identities of the caller's account: those of one provider, or all. */
export async function removeOwnIdentities(ctx: Ctx, provider: ProviderName | undefined): Promise<void> {
  await remove(ctx, { provider });
}

/** The same error for an unknown identity and for one of another account. */
export function noSuchIdentity(): AppError {
  return new AppError("NOT_FOUND", "There is no such identity.");
}

function remove(ctx: Ctx, which: Parameters<typeof unlinkIdentities>[2]): Promise<IdentityRow[]> {
  return ctx.query(({ db }) =>
    db.transaction(async (tx) => {
      const removed = await unlinkIdentities(tx, ctx.tenant.accountId, which);
      for (const { provider } of removed)
        await recordOwnEvent(tx, ctx, { kind: "identity_removed", details: { provider } });
      return removed;
    }),
  );
}
