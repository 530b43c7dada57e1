import { listEvents } from "#contract/security.ts";
import { methods } from "#server/http/methods.ts";
import { route } from "#server/http/route.ts";
import { listReply } from "#server/lists/reply.ts";
import { listOwnEvents } from "#server/security/list.ts";
import { EVENT_ORDER } from "#contract/inputs/event-list-input.ts";
import { presentEvent } from "#server/security/present.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(listEvents, async ({ ctx, request, query }) => {
    const page = await listOwnEvents(ctx, query);
    return listReply(ctx, request.url, { ...query, order: EVENT_ORDER }, page, presentEvent);
  }),
});
