import { metricsReply } from "#server/health/metrics-reply.ts";
import { withEnvelope } from "#server/http/envelope.ts";
import { methods } from "#server/routes/methods.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: withEnvelope((request, _context, meta) => metricsReply(request, meta)),
});
