import { presentRelaySettings } from "#domain/relay-settings.ts";
import { getRelaySettings, updateRelaySettings } from "#contract/relay-settings.ts";
import { methods } from "#server/http/methods.ts";
import { ok } from "#server/http/reply.ts";
import { route } from "#server/http/route.ts";
import { readOwnRelaySettings } from "#server/relay-settings/read.ts";
import { updateOwnRelaySettings } from "#server/relay-settings/update.ts";

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
