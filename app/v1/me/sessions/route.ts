import { endOtherSessions, listSessions } from "#contract/me.ts";
import { noContent, ok } from "#server/http/reply.ts";
import { endOtherOwnSessions } from "#server/me/end-sessions.ts";
import { listOwnSessions, presentSession } from "#server/me/sessions.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(listSessions, async ({ ctx }) =>
    ok({ items: (await listOwnSessions(ctx)).map((session) => presentSession(ctx, session)) }),
  ),
  DELETE: route(endOtherSessions, async ({ ctx }) => {
    await endOtherOwnSessions(ctx);
    return noContent();
  }),
});
