import { registerFastPath } from "#server/edge/fast-path.ts";
import { readReadiness } from "#server/health/readiness.ts";
import { methods } from "#server/http/methods.ts";
import { simpleRoute } from "#server/http/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: registerFastPath(
    "GET /readyz",
    simpleRoute(
      async () => {
        const body = await readReadiness();
        return { status: body.status === "unavailable" ? 503 : 200, body };
      },
      { ignoreUnknown: true },
    ),
  ),
});
