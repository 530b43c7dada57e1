import { startMagicLink } from "#contract/sign-in.ts";
import { startMagicLink as startLink } from "#server/auth/magic-link.ts";
import { assertSameOrigin } from "#server/auth/same-origin.ts";
import { accepted } from "#server/http/reply.ts";
import { methods } from "#server/routes/methods.ts";
import { publicRoute } from "#server/routes/public-route.ts";
import { mailFailureAsUnavailable } from "#server/sign-in/endpoints.ts";

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
