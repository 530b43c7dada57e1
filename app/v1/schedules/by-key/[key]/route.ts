import * as contract from "#contract/schedules-by-key.ts";
import { ok } from "#server/http/reply.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";
import { cancelByKey, getByKey } from "#server/schedules/by-key.ts";
import { presentPut, presentSchedule } from "#server/schedules/present.ts";
import { putByKey } from "#server/schedules/put.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(contract.getScheduleByKey, async ({ ctx, params }) =>
    ok(presentSchedule(await getByKey(ctx, params.key))),
  ),
  PUT: route(contract.putScheduleByKey, async ({ ctx, params, body }) => {
    const put = await putByKey(ctx, params.key, body);
    return { status: put.outcome === "created" ? (201 as const) : (200 as const), body: presentPut(put) };
  }),
  DELETE: route(contract.cancelScheduleByKey, async ({ ctx, params }) =>
    ok(presentSchedule(await cancelByKey(ctx, params.key))),
  ),
});
