import { withIdempotencyHeader } from "#contract/inputs/idempotency-header.ts";
import { cloneSchedule } from "#contract/schedules.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";
import { createdReply } from "#server/schedules/created-reply.ts";
import { repeatSchedule } from "#server/schedules/repeat.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: route(cloneSchedule, async ({ ctx, request, params, body }) =>
    createdReply(await repeatSchedule(ctx, params.id, withIdempotencyHeader(body, request.headers))),
  ),
});
