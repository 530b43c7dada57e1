import { refuseIdempotencyHeader } from "#contract/inputs/idempotency-header.ts";
import { createSchedulesBulk } from "#contract/schedules.ts";
import { ok } from "#server/http/reply.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";
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
