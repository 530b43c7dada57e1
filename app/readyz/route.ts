import { registerFastPath } from "#server/edge/fast-path.ts";
import { readinessReply } from "#server/health/readiness-reply.ts";
import { methods } from "#server/http/methods.ts";
import { simpleRoute } from "#server/http/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: registerFastPath("GET /readyz", simpleRoute(readinessReply, { ignoreUnknown: true })),
});
