import { removeIdentity } from "#contract/security.ts";
import { methods } from "#server/http/methods.ts";
import { noContent } from "#server/http/reply.ts";
import { route } from "#server/http/route.ts";
import { removeOwnIdentity } from "#server/identities/remove.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  DELETE: route(removeIdentity, async ({ ctx, params }) => {
    await removeOwnIdentity(ctx, params.id);
    return noContent();
  }),
});
