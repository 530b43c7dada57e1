import { removeIdentity } from "#contract/security.ts";
import { noContent } from "#server/http/reply.ts";
import { removeOwnIdentity } from "#server/identities/remove.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  DELETE: route(removeIdentity, async ({ ctx, params }) => {
    await removeOwnIdentity(ctx, params.id);
    return noContent();
  }),
});
