import { startOAuth as goToProvider } from "#server/auth/oauth.ts";
import { enabledProviderOrThrow, failureReply, headMagicLink } from "#server/auth/sign-in-endpoints.ts";
import { startOAuth } from "#server/contract/sign-in.ts";
import { methods } from "#server/http/methods.ts";
import { publicRoute } from "#server/http/public-route.ts";
import { seeOther } from "#server/http/reply.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: publicRoute(startOAuth, async ({ services, authSecret, params, query }) => {
    const options = { provider: enabledProviderOrThrow(services, params.provider), redirectTo: query.redirectTo };
    return goToProvider(services, authSecret, options).then(
      ({ location, cookies }) => seeOther(location, cookies),
      (error) => failureReply(error, query.redirectTo),
    );
  }),
  HEAD: headMagicLink,
});
