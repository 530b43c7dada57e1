import { enabledProviderOrThrow, goToProvider, headMagicLink } from "#server/auth/sign-in-endpoints.ts";
import { startOAuth } from "#contract/sign-in.ts";
import { methods } from "#server/http/methods.ts";
import { publicRoute } from "#server/http/public-route.ts";

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
