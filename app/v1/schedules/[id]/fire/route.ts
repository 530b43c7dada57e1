import * as contract from "#contract/schedules.ts";
import { ok } from "#server/http/reply.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";
import { fireSchedule } from "#server/schedules/fire.ts";
import { presentSchedule } from "#server/schedules/present.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: route(contract.fireSchedule, async ({ ctx, params }) =>
    ok(presentSchedule(await fireSchedule(ctx, params.id))),
  ),
});
