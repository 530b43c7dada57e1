import { listLogs } from "#contract/logs.ts";
import { methods } from "#server/http/methods.ts";
import { route } from "#server/http/route.ts";
import { listReply } from "#server/lists/reply.ts";
import { listOwnAttempts, presentLoggedAttempt } from "#server/logs/list.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(listLogs, async ({ ctx, request, query }) => {
    const page = await listOwnAttempts(ctx, query);
    const reply = listReply(ctx, request.url, { ...query, order: query.sort }, page, presentLoggedAttempt);
    return { ...reply, body: { ...reply.body, retention_days: ctx.limits.retentionDays } };
  }),
});
