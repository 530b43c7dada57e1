import { getOverview } from "#contract/overview.ts";
import { ok } from "#server/http/reply.ts";
import { presentOverview, readWholeOverview } from "#server/overview/overview.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(getOverview, async ({ ctx, query }) => ok(presentOverview(await readWholeOverview(ctx, query)))),
});
