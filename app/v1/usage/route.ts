import { getUsage } from "#contract/overview.ts";
import { methods } from "#server/http/methods.ts";
import { ok } from "#server/http/reply.ts";
import { route } from "#server/http/route.ts";
import { readUsageAndLimits } from "#server/overview/usage.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(getUsage, async ({ ctx }) => ok(await readUsageAndLimits(ctx))),
});
