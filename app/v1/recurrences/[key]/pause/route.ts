import * as contract from "#contract/recurrences.ts";
import { ok } from "#server/http/reply.ts";
import { pauseRecurrence } from "#server/recurrences/pause.ts";
import { presentChanged } from "#server/recurrences/present.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: route(contract.pauseRecurrence, async ({ ctx, params, body }) =>
    ok(presentChanged(await pauseRecurrence(ctx, params.key, body))),
  ),
});
