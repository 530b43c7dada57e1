import { getRelaySettings, updateRelaySettings } from "#contract/relay-settings.ts";
import { presentRelaySettings } from "#domain/relay-settings.ts";
import { ok } from "#server/http/reply.ts";
import { readOwnRelaySettings } from "#server/relay-settings/read.ts";
import { updateOwnRelaySettings } from "#server/relay-settings/update.ts";
import { methods } from "#server/routes/methods.ts";
import { route } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: route(getRelaySettings, async ({ ctx }) =>
    ok(presentRelaySettings(await readOwnRelaySettings(ctx), ctx.limits)),
  ),
  PATCH: route(updateRelaySettings, async ({ ctx, body }) =>
    ok(presentRelaySettings(await updateOwnRelaySettings(ctx, body), ctx.limits)),
  ),
});
