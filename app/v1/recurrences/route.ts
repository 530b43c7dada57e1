import { RECURRENCE_ORDER } from "#contract/inputs/recurrence-input.ts";
import { listRecurrences, presentRecurrence } from "#contract/recurrences.ts";
import { listReply } from "#server/lists/reply.ts";
import { listOwnRecurrences } from "#server/recurrences/list.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(listRecurrences, async ({ ctx, request, query }) => {
    const page = await listOwnRecurrences(ctx, query);
    return listReply(ctx, request.url, { ...query, order: RECURRENCE_ORDER }, page, presentRecurrence);
  }),
});
