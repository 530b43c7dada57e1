import * as contract from "#contract/recurrences.ts";
import { ok } from "#server/http/reply.ts";
import { deleteRecurrence } from "#server/recurrences/delete.ts";
import { getRecurrence } from "#server/recurrences/get.ts";
import { presentChanged, presentDeleted } from "#server/recurrences/present.ts";
import { putRecurrence } from "#server/recurrences/put.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(contract.getRecurrence, async ({ ctx, params }) =>
    ok(contract.presentRecurrence(await getRecurrence(ctx, params.key))),
  ),
  PUT: route(contract.putRecurrence, async ({ ctx, params, body, query }) => {
    const { isNew, ...put } = await putRecurrence(ctx, params.key, body, { isDry: query.dryRun });
    return { status: isNew ? (201 as const) : (200 as const), body: presentChanged(put) };
  }),
  DELETE: route(contract.deleteRecurrence, async ({ ctx, params }) =>
    ok(presentDeleted(await deleteRecurrence(ctx, params.key))),
  ),
});
