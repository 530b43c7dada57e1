import { json } from "node:stream/consumers";
import { serveHttp } from "#scripts/lab/http-server.ts";

/** The server that the checks of tests/runtimes call. It answers in the forms of the service. */
export async function startSdkTestServer(apiKey: string): Promise<{ origin: string; close(): Promise<void> }> {
  const keys = new Set<string>();
  return serveHttp(async (request, response) => {
    const send = (status: number, body: unknown, headers: Record<string, string> = {}) =>
      response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
    const refuse = (status: number, code: string, headers: Record<string, string> = {}) =>
      send(status, { error: { code, message: "It was refused." } }, { "X-Request-Id": "req_1", ...headers });
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");

    if (request.headers.authorization !== `Bearer ${apiKey}`) refuse(403, "FORBIDDEN");
    else if (pathname === "/v1/me") refuse(401, "UNAUTHORIZED");
    else if (pathname === "/v1/schedules" && request.method === "GET") send(200, pageAfter(searchParams));
    else if (pathname === "/v1/schedules") {
      const { targetUrl, fireAt, idempotencyKey } = (await json(request)) as Record<string, string>;
      if (!idempotencyKey) refuse(400, "VALIDATION");
      else if (targetUrl?.endsWith("/busy-at-first") && !keys.has(idempotencyKey)) {
        keys.add(idempotencyKey);
        refuse(429, "RATE_LIMITED", { "Retry-After": "0" });
      } else {
        const replayed = keys.has(idempotencyKey);
        send(201, { id: "sch_1", fire_at: fireAt, status: "scheduled", over_limit: false, replayed, mismatch: false });
      }
    }
    // Any other call, such as that of one schedule, is never answered.
  });
}

/** Two pages, of two schedules and one. */
function pageAfter(query: URLSearchParams) {
  if (query.get("status") !== "dead") return { items: [], next_cursor: null };
  if (query.get("after") === "2") return { items: [{ id: "sch_3" }], next_cursor: null };
  return { items: [{ id: "sch_1" }, { id: "sch_2" }], next_cursor: "2" };
}
