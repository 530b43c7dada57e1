import { revokeOwnApiKey } from "#server/api-keys/revoke.ts";
import { revokeApiKey } from "#contract/api-keys.ts";
import { methods } from "#server/http/methods.ts";
import { noContent } from "#server/http/reply.ts";
import { route } from "#server/http/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: route(revokeApiKey, async ({ ctx, params }) => {
    await revokeOwnApiKey(ctx, params.id);
    return noContent();
  }),
});
