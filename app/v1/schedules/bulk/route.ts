import { createSchedulesBulk } from "#contract/schedules.ts";
import { refuseIdempotencyHeader } from "#contract/inputs/idempotency-header.ts";
import { methods } from "#server/http/methods.ts";
import { ok } from "#server/http/reply.ts";
import { route } from "#server/http/route.ts";
import { createMany } from "#server/schedules/bulk.ts";
import { presentBulk } from "#server/schedules/present.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: route(createSchedulesBulk, async ({ ctx, request, body }) => {
    refuseIdempotencyHeader(request.headers);
    return ok(presentBulk(await createMany(ctx, body)));
  }),
});
