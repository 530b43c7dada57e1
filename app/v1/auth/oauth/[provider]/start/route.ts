import { startOAuth as goToProvider } from "#server/auth/oauth.ts";
import { failed, headOfLink, offeredProvider } from "#server/auth/sign-in-endpoints.ts";
import { startOAuth } from "#server/contract/sign-in.ts";
import { methods } from "#server/http/methods.ts";
import { openEndpoint } from "#server/http/public-route.ts";
import { seeOther } from "#server/http/reply.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: openEndpoint(startOAuth, async ({ held, authSecret, params, query }) => {
    const wanted = { provider: offeredProvider(held, params.provider), redirectTo: query.redirectTo };
    return goToProvider(held, authSecret, wanted).then(
      ({ location, cookies }) => seeOther(location, cookies),
      (error) => failed(error, query.redirectTo),
    );
  }),
  HEAD: headOfLink,
});
