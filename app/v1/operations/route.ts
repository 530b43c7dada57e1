import { listOperations, startOperation } from "#contract/operations.ts";
import { withIdempotencyHeader } from "#contract/inputs/idempotency-header.ts";
import { methods } from "#server/http/methods.ts";
import { route } from "#server/http/route.ts";
import { listReply } from "#server/lists/reply.ts";
import { listOwnOperations } from "#server/operations/list.ts";
import { OPERATION_ORDER } from "#contract/inputs/operation-input.ts";
import { presentOperation } from "#server/operations/present.ts";
import { startOperation as start } from "#server/operations/start.ts";
import { startedReply } from "#server/operations/started-reply.ts";

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
