import { listIdentities, removeIdentities } from "#contract/security.ts";
import { noContent, ok } from "#server/http/reply.ts";
import { listOwnIdentities, presentIdentity } from "#server/identities/list.ts";
import { removeOwnIdentities } from "#server/identities/remove.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(listIdentities, async ({ ctx }) => ok({ items: (await listOwnIdentities(ctx)).map(presentIdentity) })),
  DELETE: route(removeIdentities, async ({ ctx, query }) => {
    await removeOwnIdentities(ctx, query.provider);
    return noContent();
  }),
});
