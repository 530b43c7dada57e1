import * as contract from "#contract/recurrences.ts";
import { ok } from "#server/http/reply.ts";
import { resumeRecurrence } from "#server/recurrences/resume.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: route(contract.resumeRecurrence, async ({ ctx, params }) =>
    ok(contract.presentRecurrence(await resumeRecurrence(ctx, params.key))),
  ),
});
