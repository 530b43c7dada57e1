import { listLogs } from "#contract/logs.ts";
import { listReply } from "#server/lists/reply.ts";
import { listOwnAttempts, presentLoggedAttempt } from "#server/logs/list.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(listLogs, async ({ ctx, request, query }) => {
    const page = await listOwnAttempts(ctx, query);
    const reply = listReply(ctx, request.url, { ...query, order: query.sort }, page, presentLoggedAttempt);
    return { ...reply, body: { ...reply.body, retention_days: ctx.limits.retentionDays } };
  }),
});
