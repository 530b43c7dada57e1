import { withIdempotencyHeader } from "#contract/inputs/idempotency-header.ts";
import { createSchedule, listSchedules } from "#contract/schedules.ts";
import { listReply } from "#server/lists/reply.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";
import { createOne } from "#server/schedules/create.ts";
import { createdReply } from "#server/schedules/created-reply.ts";
import { listOwnSchedules } from "#server/schedules/list.ts";
import { presentSchedule } from "#server/schedules/present.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(listSchedules, async ({ ctx, request, query }) =>
    listReply(ctx, request.url, { ...query, order: query.sort }, await listOwnSchedules(ctx, query), presentSchedule),
  ),
  POST: route(
    createSchedule,
    async ({ ctx, request, body }) => createdReply(await createOne(ctx, withIdempotencyHeader(body, request.headers))),
    { allowsCachedCredential: true, hasFastPath: true },
  ),
});
