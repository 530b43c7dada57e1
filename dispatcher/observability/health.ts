import { hash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Logger } from "pino";
import { isLoopbackAddress } from "#domain/caller-address.ts";
import type { Metrics } from "./metrics.ts";

/** `reason`: why it cannot deliver, or not everything (`degraded`), a sentence for operators, with what to do. */
export type Readiness = { status: "ok" } | { status: "degraded" | "unavailable"; reason: string };

/**
 * Serves this dispatcher's `/healthz`, `/readyz` and `/metrics` (Prometheus) on `host` and `port`. `held` returns why it
 * claims nothing; `/healthz` then says so, with 200, since a restart would not help. `/readyz` is 503 while it cannot
 * deliver, whatever its network is like, and tells strangers in fixed words. An answer that cannot be made is 500 and logged: it ends no delivery. Rejects when it cannot listen.
 */
export function serveHealth(options: {
  host: string;
  port: number;
  figures: () => Record<string, number>;
  held: () => string | null;
  ready: () => Promise<Readiness>;
  /** METRICS_TOKEN. A caller that has it, or that asks on this machine, is told why the dispatcher is not ready. */
  metricsToken: string | undefined;
  metrics: Metrics;
  log: Logger;
}) {
  const reply = async (path: string, request: IncomingMessage, response: ServerResponse) => {
    if (path === "/healthz") {
      const reason = options.held();
      const status = reason === null ? { status: "ok" } : { status: "held", reason };
      return answer(response, 200, JSON.stringify({ ...status, part: "dispatcher", ...options.figures() }));
    }
    if (path === "/readyz") {
      const found = await options.ready();
      const readiness = found.status === "ok" || isOperator(request, options.metricsToken) ? found : fixedWords(found);
      return answer(response, readiness.status === "unavailable" ? 503 : 200, JSON.stringify(readiness));
    }
    if (path === "/metrics") return answer(response, 200, await options.metrics.text(), options.metrics.contentType);
    const error = { code: "NOT_FOUND", message: "There are only /healthz, /readyz and /metrics here." };
    answer(response, 404, JSON.stringify({ error }));
  };
  const server = createServer((request, response) => {
    const [path = ""] = (request.url ?? "").split("?");
    reply(path, request, response).catch((error: unknown) => {
      options.log.error({ path, err: error }, "a question about this dispatcher could not be answered");
      const internal = { code: "INTERNAL", message: "It could not be answered. The log says why." };
      answer(response, 500, JSON.stringify({ error: internal }));
    });
  });
  return new Promise<{ close: () => void }>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => resolve({ close: () => server.close() }));
  });
}

/** As for /readyz of the web part: the reason names roles, databases and statements. */
function isOperator({ headers, socket }: IncomingMessage, metricsToken: string | undefined): boolean {
  const [, token] = /^bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  if (token !== undefined && metricsToken !== undefined && timingSafeEqual(digest(token), digest(metricsToken)))
    return true;
  const isForwarded = ["forwarded", "x-forwarded-for", "via"].some((name) => headers[name] !== undefined);
  return !isForwarded && isLoopbackAddress(socket.remoteAddress ?? "");
}

const digest = (text: string) => hash("sha256", text, "buffer");

function fixedWords({ status }: Readiness) {
  const reason = status === "degraded" ? "It does not deliver everything." : "It cannot deliver now.";
  return { status, reason: `${reason} With METRICS_TOKEN, or on its machine, it says why.` };
}

function answer(response: ServerResponse, status: number, body: string, type = "application/json"): void {
  response.writeHead(status, {
    "content-type": type,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(body);
}
