import { methods } from "#server/http/methods.ts";
import { ok } from "#server/http/reply.ts";
import { route } from "#server/http/route.ts";
import { cancelSchedule } from "#server/schedules/cancel.ts";
import { getSchedule } from "#server/schedules/get.ts";
import { presentSchedule } from "#server/schedules/present.ts";
import { RescheduleInput, rescheduleSchedule } from "#server/schedules/reschedule.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route({ auth: "any" }, async ({ ctx, params }) => ok(presentSchedule(await getSchedule(ctx, params.id)))),
  PATCH: route({ auth: "any", body: RescheduleInput }, async ({ ctx, params, body }) =>
    ok(presentSchedule(await rescheduleSchedule(ctx, params.id, body))),
  ),
  DELETE: route({ auth: "any" }, async ({ ctx, params }) => ok(presentSchedule(await cancelSchedule(ctx, params.id)))),
});
