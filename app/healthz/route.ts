import { registerFastPath } from "#server/http/fast-path.ts";
import { ok } from "#server/http/reply.ts";
import { isStopping } from "#server/listen/open-streams.ts";
import { methods } from "#server/routes/methods.ts";
import { simpleRoute } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: registerFastPath(
    "GET /healthz",
    simpleRoute(async () => (isStopping() ? { status: 503, body: { status: "stopping" } } : ok({ status: "ok" })), {
      ignoreUnknown: true,
    }),
  ),
});
