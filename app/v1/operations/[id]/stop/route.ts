import * as contract from "#contract/operations.ts";
import { ok } from "#server/http/reply.ts";
import { presentOperation } from "#server/operations/present.ts";
import { stopOperation } from "#server/operations/stop.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: route(contract.stopOperation, async ({ ctx, params }) =>
    ok(presentOperation(await stopOperation(ctx, params.id))),
  ),
});
