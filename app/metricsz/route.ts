import { answerMetrics } from "#server/health/metrics-reply.ts";
import { answering } from "#server/http/envelope.ts";
import { methods } from "#server/http/methods.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: answering((request, _context, meta) => answerMetrics(request, meta)),
});
