import type { Config } from "#config.ts";
import { getMetrics } from "#contract/health.ts";
import { readQuery } from "#contract/inputs/read-query.ts";
import { Unauthorized } from "#domain/errors.ts";
import type { ResponseMeta } from "../http/envelope.ts";
import { ok, type Reply } from "../http/reply.ts";
import { limitRejections } from "../rate-limit/enforce.ts";
import { refusedTargetCounts } from "../refused-targets.ts";
import { getServices } from "../services.ts";
import { readMetrics } from "./metrics.ts";
import { hasMetricsToken } from "./metrics-token.ts";
import { PROMETHEUS_TYPE, prometheusText } from "./prometheus.ts";

/**
 * The reply of /metricsz as JSON or Prometheus text. Without authentication when the base URL is plain http. Over https it
 * throws UNAUTHORIZED without the token of METRICS_TOKEN, and always when METRICS_TOKEN is not set.
 */
export async function metricsReply(request: Request, meta: ResponseMeta): Promise<Reply> {
  const { config, databaseErrors } = getServices();
  if (config.baseUrl.startsWith("https:")) {
    const check = async () => assertToken(request.headers, config);
    await (request.headers.has("authorization") ? limitRejections(request, meta, check, () => METRICS) : check());
  }
  const { format } = readQuery(request.url, getMetrics.query, { ignoreUnknown: true });
  const metrics = await readMetrics();
  if ((format ?? preferredFormat(request.headers.get("accept"))) === "json") return ok(metrics);
  const own = { refusedTargets: refusedTargetCounts(), databaseErrors };
  return { status: 200, text: { type: PROMETHEUS_TYPE, content: prometheusText(metrics, own) } };
}

/** The callers that have the token, as one party of the gate. */
const METRICS = "metrics";

function assertToken(headers: Headers, config: Config): void {
  if (hasMetricsToken(headers, config)) return;
  throw new Unauthorized("The token of METRICS_TOKEN is required: Authorization: Bearer <METRICS_TOKEN>.");
}

/** Prometheus text when `Accept` names text/plain and not JSON, as Prometheus does; else JSON. */
function preferredFormat(accept: string | null): "json" | "prometheus" {
  const types = (accept ?? "").split(",").map((range) => range.split(";")[0]?.trim().toLowerCase());
  return types.includes("text/plain") && !types.includes("application/json") ? "prometheus" : "json";
}
