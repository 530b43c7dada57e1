import { withIdempotencyHeader } from "#server/http/idempotency-header.ts";
import { methods } from "#server/http/methods.ts";
import { route } from "#server/http/route.ts";
import { createdReply, pageReply } from "#server/http/schedule-replies.ts";
import { createOne } from "#server/schedules/create.ts";
import { CreateInput } from "#server/schedules/create-input.ts";
import { listOwnSchedules } from "#server/schedules/list.ts";
import { ListInput } from "#server/schedules/list-input.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route({ auth: "any", query: ListInput }, async ({ ctx, request, query }) =>
    pageReply(ctx, request.url, query, await listOwnSchedules(ctx, query)),
  ),
  POST: route({ auth: "any", body: CreateInput }, async ({ ctx, request, body }) =>
    createdReply(await createOne(ctx, withIdempotencyHeader(body, request.headers))),
  ),
});
