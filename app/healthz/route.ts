import { registerFastPath } from "#server/edge/fast-path.ts";
import { methods } from "#server/http/methods.ts";
import { ok } from "#server/http/reply.ts";
import { simpleRoute } from "#server/http/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: registerFastPath(
    "GET /healthz",
    simpleRoute(async () => ok({ status: "ok" }), { ignoreUnknown: true }),
  ),
});
