import { revokeApiKey } from "#contract/api-keys.ts";
import { revokeOwnApiKey } from "#server/api-keys/revoke.ts";
import { noContent } from "#server/http/reply.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: route(revokeApiKey, async ({ ctx, params }) => {
    await revokeOwnApiKey(ctx, params.id);
    return noContent();
  }),
});
