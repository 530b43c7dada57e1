import { createServer, type ServerResponse } from "node:http";
import type { Metrics } from "./metrics.ts";

/**
 * Serves this dispatcher's `/healthz` and `/metrics` (Prometheus) on `host` and `port`. Rejects when it cannot listen.
 */
export function serveHealth(options: {
  host: string;
  port: number;
  figures: () => Record<string, number>;
  metrics: Metrics;
}) {
  const server = createServer(async (request, response) => {
    const [path] = (request.url ?? "").split("?");
    if (path === "/healthz") return answer(response, 200, JSON.stringify({ status: "ok", ...options.figures() }));
    if (path === "/metrics") return answer(response, 200, await options.metrics.text(), options.metrics.contentType);
    const error = { code: "NOT_FOUND", message: "There are only /healthz and /metrics here." };
    answer(response, 404, JSON.stringify({ error }));
  });
  return new Promise<{ close: () => void }>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => resolve({ close: () => server.close() }));
  });
}

function answer(response: ServerResponse, status: number, body: string, type = "application/json"): void {
  response.writeHead(status, {
    "content-type": type,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(body);
}
