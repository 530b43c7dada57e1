import type { Account } from "./account.ts";
import { runOperations } from "./operations.ts";
import { readBody, refuseBody } from "./read-body.ts";
import { readQuery } from "./read-query.ts";
import { Refusal, STATUSES } from "./refusal.ts";
import { type Endpoint, type Reply, ROUTES } from "./routes.ts";

/** Answers a request as the service does. `apiKey` is the one that is known. */
export async function answer(account: Account, apiKey: string, request: Request): Promise<Response> {
  const requestId = `req_${`${++account.requests}`.padStart(32, "0")}`;
  let reply: Reply;
  try {
    reply = await replyTo(account, apiKey, request);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    reply = presentRefusal(error);
  }
  const { status = 200, body, headers } = reply;
  const hasBody = request.method !== "HEAD" && status !== 204;
  return new Response(hasBody ? JSON.stringify(body) : null, {
    status,
    headers: {
      "Cache-Control": "no-store",
      Date: new Date(account.nowMs).toUTCString(),
      ...(status !== 204 && { "Content-Type": "application/json" }),
      ...headers,
      "X-Request-Id": requestId,
    },
  });
}

async function replyTo(account: Account, apiKey: string, request: Request): Promise<Reply> {
  const url = new URL(request.url);
  const route = findRoute(url.pathname);
  if (!route) throw new Refusal("NOT_FOUND", "There is nothing at this path.");
  const { methods, id } = route;
  const allowed = METHODS.filter((name) => name === "OPTIONS" || (name === "HEAD" ? "GET" : name) in methods);
  const headers = { Allow: allowed.join(", ") };
  if (request.method === "OPTIONS") return { status: 204, headers, body: {} };
  const method = request.method === "HEAD" ? "GET" : request.method;
  if (!Object.hasOwn(methods, method))
    throw new Refusal("METHOD_NOT_ALLOWED", `This path supports ${headers.Allow}.`, headers);
  const endpoint = methods[method] as Endpoint | null;
  if (!endpoint?.isPublic) authenticate(apiKey, request.headers);
  if (!endpoint)
    throw new Refusal("FORBIDDEN", "This endpoint requires a signed-in session; an API key is not sufficient.");
  const { env } = account.settings;
  const query = readQuery(url, endpoint.query ?? "none", endpoint.hasNoEnv || endpoint.isPublic ? undefined : env);
  const body = method === "GET" ? {} : await readBodyOf(account, endpoint, request);
  // Running operations finish before the next call, unless that call stops them.
  if (!url.pathname.endsWith("/stop")) runOperations(account);
  return endpoint.run({ account, id, url, headers: request.headers, query, body });
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

function findRoute(pathname: string): { methods: (typeof ROUTES)[string]; id: string } | undefined {
  const written = ROUTES[pathname];
  if (written) return { methods: written, id: "" };
  for (const [path, methods] of Object.entries(ROUTES)) {
    const [, id] = new RegExp(`^${path.replace("{id}", "([^/]+)")}$`).exec(pathname) ?? [];
    if (id !== undefined) return { methods, id };
  }
  return undefined;
}

function authenticate(apiKey: string, headers: Headers): void {
  const [, key] = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (key !== apiKey)
    throw new Refusal("UNAUTHORIZED", "A valid API key (Authorization: Bearer <API_KEY>) or a session is required.", {
      "WWW-Authenticate": "Bearer",
    });
}

async function readBodyOf(account: Account, { body }: Endpoint, request: Request) {
  if (!body) {
    await refuseBody(request);
    return {};
  }
  if (body !== "bulk") return readBody(request, { isOptional: body === "optional" });
  const { bulkItems: max, payloadBytes } = account.limits;
  return readBody(request, { bytesMax: Math.min(32 << 20, max * payloadBytes * 6), list: { name: "schedules", max } });
}

function presentRefusal({ code, message, details, headers }: Refusal): Reply {
  return { status: STATUSES[code], headers, body: { error: { code, message, ...(details && { details }) } } };
}
