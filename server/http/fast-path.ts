import type { IncomingMessage, ServerResponse } from "node:http";
import type { EnvelopedHandler } from "./envelope.ts";

/**
 * Registers `handler` to serve requests with exactly this method and path (such as `POST /v1/schedules`) without Next.js,
 * whose routing takes more CPU time than creating a schedule. Takes effect once Next.js has loaded the route module. In
 * production only: in development routes are recompiled. Returns the handler.
 */
export function registerFastPath(methodAndPath: string, handler: EnvelopedHandler): EnvelopedHandler {
  // biome-ignore lint/style/noProcessEnv: the bundler replaces it
  if (process.env.NODE_ENV === "production") registry().set(methodAndPath, handler);
  return handler;
}

/** Serves a request by its registered handler; returns false when there is none. */
export function answerOnFastPath(request: IncomingMessage, response: ServerResponse): boolean {
  const { method = "", url = "" } = request;
  const query = url.indexOf("?");
  const handler = registry().get(`${method} ${query < 0 ? url : url.slice(0, query)}`);
  if (handler === undefined) return false;
  respond(handler, request, response).catch(() => response.destroy());
  return true;
}

async function respond(handler: EnvelopedHandler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // As Next.js does it: the body is the IncomingMessage itself and is read lazily.
  const hasBody = request.method !== "GET" && request.method !== "HEAD";
  const init = { method: request.method, headers: request.headers, ...(hasBody && { body: request, duplex: "half" }) };
  const webRequest = new Request(new URL(request.url ?? "", "http://localhost"), init as unknown as RequestInit);
  const { status, headers, cookies, content } = await handler.answer(webRequest, { params: Promise.resolve({}) });
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (cookies.length > 0) response.setHeader("Set-Cookie", [headers["Set-Cookie"] ?? [], ...cookies].flat());
  response.end(content);
}

// On globalThis, since Next.js loads this module twice: in the routes' bundle and in that of instrumentation.ts.
function registry(): Map<string, EnvelopedHandler> {
  const store = globalThis as { [REGISTRY]?: Map<string, EnvelopedHandler> };
  store[REGISTRY] ??= new Map();
  return store[REGISTRY];
}

const REGISTRY = Symbol.for("stopwatch.fast-path");
