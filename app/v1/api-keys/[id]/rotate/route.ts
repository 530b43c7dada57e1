import { rotateApiKey } from "#contract/api-keys.ts";
import { presentNewApiKey } from "#server/api-keys/present.ts";
import { rotateOwnApiKey } from "#server/api-keys/rotate.ts";
import { created } from "#server/http/reply.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: route(rotateApiKey, async ({ ctx, params, body }) =>
    created(presentNewApiKey(await rotateOwnApiKey(ctx, params.id, body))),
  ),
});
