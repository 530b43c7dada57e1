import { logOut } from "#contract/sign-in.ts";
import { clearedSessionCookie } from "#server/auth/session-cookie.ts";
import { signOut } from "#server/auth/sign-out.ts";
import { noContent } from "#server/http/reply.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";
import { getServices } from "#server/services.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: route(logOut, async ({ ctx, request }) => {
    await signOut(getServices(), request.headers.get("cookie"), ctx.source());
    return noContent({ "Set-Cookie": clearedSessionCookie(ctx.config) });
  }),
});
