import { startMagicLink as startLink } from "#server/auth/magic-link.ts";
import { assertSameOrigin } from "#server/auth/same-origin.ts";
import { mailFailureAsUnavailable } from "#server/auth/sign-in-endpoints.ts";
import { startMagicLink } from "#contract/sign-in.ts";
import { methods } from "#server/http/methods.ts";
import { publicRoute } from "#server/http/public-route.ts";
import { accepted } from "#server/http/reply.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  POST: publicRoute(startMagicLink, async ({ services, authSecret, request, body, address }) => {
    assertSameOrigin(request.headers, services.config.baseUrl);
    const options = { ...body, redirectTo: body.redirectTo, address };
    const { setCookie } = await mailFailureAsUnavailable(startLink(services, authSecret, options));
    return accepted({ status: "sent" as const }, [setCookie]);
  }),
});
