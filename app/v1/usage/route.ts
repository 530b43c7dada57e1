import { getUsage } from "#contract/overview.ts";
import { ok } from "#server/http/reply.ts";
import { readUsageAndLimits } from "#server/overview/usage.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(getUsage, async ({ ctx }) => ok(await readUsageAndLimits(ctx))),
});
