import { deleteAccount, getProfile, updateProfile } from "#contract/me.ts";
import { forgetAccountHeaders } from "#server/auth/session-cookie.ts";
import { noContent, ok } from "#server/http/reply.ts";
import { deleteOwnAccount } from "#server/me/delete.ts";
import { presentProfile } from "#server/me/present.ts";
import { readOwnProfile } from "#server/me/read.ts";
import { updateOwnProfile } from "#server/me/update.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(getProfile, async ({ ctx }) => ok(presentProfile(ctx, await readOwnProfile(ctx)))),
  PATCH: route(updateProfile, async ({ ctx, body }) => ok(presentProfile(ctx, await updateOwnProfile(ctx, body)))),
  DELETE: route(deleteAccount, async ({ ctx }) => {
    await deleteOwnAccount(ctx);
    return noContent(forgetAccountHeaders(ctx.config));
  }),
});
