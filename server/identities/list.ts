import { type IdentityRow, listIdentities } from "#db/queries/accounts/identities.ts";
import { encodeId } from "#domain/ids.ts";
import type { Ctx } from "../context.ts";

const IDENTITIES_MAX = 100;

/** The provider identities of the caller's account, in the order in which they were linked. */
export async function listOwnIdentities(ctx: Ctx): Promise<IdentityRow[]> {
  return ctx.query(({ db }) => listIdentities(db, ctx.tenant.accountId, IDENTITIES_MAX));
}

/** An identity as its owner sees it, without the provider's id of the person. */
export function presentIdentity({ id, provider, createdAt }: IdentityRow) {
  return { id: encodeId("idn", id), provider, createdAt: createdAt.toISOString() };
}
