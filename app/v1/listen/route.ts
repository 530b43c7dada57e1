import { listen } from "#contract/listen.ts";
import { eventStream } from "#server/listen/event-stream-reply.ts";
import { assertMayListen, openListenStream } from "#server/listen/open.ts";
import { limitListening } from "#server/rate-limit/enforce.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";
// Where a platform bounds answers. A stream ends by itself before that.
export const maxDuration = 300;

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(
    listen,
    async ({ ctx, query, request }) => eventStream(await openListenStream(ctx, query, request.signal)),
    {
      limit: limitListening,
    },
  ),
  HEAD: route(listen, async ({ ctx, query }) => assertMayListen(ctx, query).then(() => eventStream(null)), {
    limit: limitListening,
  }),
});
