import { readinessReply } from "#server/health/readiness-reply.ts";
import { registerFastPath } from "#server/http/fast-path.ts";
import { methods } from "#server/routes/methods.ts";
import { simpleRoute } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: registerFastPath("GET /readyz", simpleRoute(readinessReply, { ignoreUnknown: true })),
});
