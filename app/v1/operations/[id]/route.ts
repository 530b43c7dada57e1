import * as contract from "#contract/operations.ts";
import { ok } from "#server/http/reply.ts";
import { getOperation } from "#server/operations/get.ts";
import { presentOperation } from "#server/operations/present.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(contract.getOperation, async ({ ctx, params }) =>
    ok(presentOperation(await getOperation(ctx, params.id))),
  ),
});
