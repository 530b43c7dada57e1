import { EVENT_ORDER } from "#contract/inputs/event-list-input.ts";
import { listEvents } from "#contract/security.ts";
import { listReply } from "#server/lists/reply.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";
import { listOwnEvents } from "#server/security/list.ts";
import { presentEvent } from "#server/security/present.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(listEvents, async ({ ctx, request, query }) => {
    const page = await listOwnEvents(ctx, query);
    return listReply(ctx, request.url, { ...query, order: EVENT_ORDER }, page, presentEvent);
  }),
});
