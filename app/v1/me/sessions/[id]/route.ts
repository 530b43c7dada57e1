import { clearedSessionCookie } from "#server/auth/session-cookie.ts";
import { endSession } from "#contract/me.ts";
import { methods } from "#server/http/methods.ts";
import { noContent } from "#server/http/reply.ts";
import { route } from "#server/http/route.ts";
import { endOwnSession } from "#server/me/end-session.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  DELETE: route(endSession, async ({ ctx, params }) => {
    const { wasCurrent } = await endOwnSession(ctx, params.id);
    return noContent(wasCurrent ? { "Set-Cookie": clearedSessionCookie(ctx.config) } : undefined);
  }),
});
