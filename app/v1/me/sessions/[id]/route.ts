import { endSession } from "#contract/me.ts";
import { clearedSessionCookie } from "#server/auth/session-cookie.ts";
import { noContent } from "#server/http/reply.ts";
import { endOwnSession } from "#server/me/end-session.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  DELETE: route(endSession, async ({ ctx, params }) => {
    const { wasCurrent } = await endOwnSession(ctx, params.id);
    return noContent(wasCurrent ? { "Set-Cookie": clearedSessionCookie(ctx.config) } : undefined);
  }),
});
