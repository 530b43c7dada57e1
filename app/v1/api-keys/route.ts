import { createApiKey, listApiKeys } from "#contract/api-keys.ts";
import { createOwnApiKey } from "#server/api-keys/create.ts";
import { listOwnApiKeys } from "#server/api-keys/list.ts";
import { presentApiKey, presentNewApiKey } from "#server/api-keys/present.ts";
import { created, ok } from "#server/http/reply.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(listApiKeys, async ({ ctx }) => ok({ items: (await listOwnApiKeys(ctx)).map(presentApiKey) })),
  POST: route(createApiKey, async ({ ctx, body }) => created(presentNewApiKey(await createOwnApiKey(ctx, body)))),
});
