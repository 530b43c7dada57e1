import * as contract from "#contract/schedules.ts";
import { ok } from "#server/http/reply.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";
import { cancelSchedule } from "#server/schedules/cancel.ts";
import { getSchedule } from "#server/schedules/get.ts";
import { presentRescheduled, presentSchedule } from "#server/schedules/present.ts";
import { rescheduleSchedule } from "#server/schedules/reschedule.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(contract.getSchedule, async ({ ctx, params }) => ok(presentSchedule(await getSchedule(ctx, params.id)))),
  PATCH: route(contract.rescheduleSchedule, async ({ ctx, params, body }) =>
    ok(presentRescheduled(await rescheduleSchedule(ctx, params.id, body))),
  ),
  DELETE: route(contract.cancelSchedule, async ({ ctx, params }) =>
    ok(presentSchedule(await cancelSchedule(ctx, params.id))),
  ),
});
