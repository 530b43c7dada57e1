import { withIdempotencyHeader } from "#contract/inputs/idempotency-header.ts";
import { OPERATION_ORDER } from "#contract/inputs/operation-input.ts";
import { listOperations, startOperation } from "#contract/operations.ts";
import { listReply } from "#server/lists/reply.ts";
import { listOwnOperations } from "#server/operations/list.ts";
import { presentOperation } from "#server/operations/present.ts";
import { startOperation as start } from "#server/operations/start.ts";
import { startedReply } from "#server/operations/started-reply.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(listOperations, async ({ ctx, request, query }) => {
    const page = await listOwnOperations(ctx, query);
    return listReply(ctx, request.url, { ...query, order: OPERATION_ORDER }, page, presentOperation);
  }),
  POST: route(startOperation, async ({ ctx, request, body }) =>
    startedReply(await start(ctx, withIdempotencyHeader(body, request.headers))),
  ),
});
