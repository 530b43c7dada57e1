import { startOAuth } from "#contract/sign-in.ts";
import { methods } from "#server/routes/methods.ts";
import { publicRoute } from "#server/routes/public-route.ts";
import { enabledProviderOrThrow, goToProvider, headMagicLink } from "#server/sign-in/endpoints.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: publicRoute(startOAuth, async (call) => {
    const provider = enabledProviderOrThrow(call.services, call.params.provider);
    const { redirectTo, link } = call.query;
    return goToProvider(call, { provider, redirectTo, isToLink: link === "1" });
  }),
  HEAD: headMagicLink,
});
