import * as contract from "#contract/schedules.ts";
import { ok } from "#server/http/reply.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";
import { listAttempts } from "#server/schedules/attempts.ts";
import { presentAttempts } from "#server/schedules/present.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(contract.listAttempts, async ({ ctx, params }) =>
    ok(presentAttempts(await listAttempts(ctx, params.id), ctx.limits.retentionDays)),
  ),
});
