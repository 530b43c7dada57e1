import type { IncomingMessage, ServerResponse } from "node:http";
import type { RouteHandler } from "../http/envelope.ts";

/**
 * Has requests for exactly this method and path (such as `POST /v1/schedules`) answered by `handler` without Next.js
 * between: its way from the socket to a route costs more than creating a schedule does. It takes hold once Next.js has
 * loaded the route, and in production alone, where routes are not compiled anew. Returns the handler.
 */
export function direct(methodAndPath: string, handler: RouteHandler): RouteHandler {
  // biome-ignore lint/style/noProcessEnv: the bundler replaces it
  if (process.env.NODE_ENV === "production") routes().set(methodAndPath, handler);
  return handler;
}

/** Answers a request that has a direct route; false when it has none. */
export function answerOnFastPath(request: IncomingMessage, response: ServerResponse): boolean {
  const { method = "", url = "" } = request;
  const query = url.indexOf("?");
  const handler = routes().get(`${method} ${query < 0 ? url : url.slice(0, query)}`);
  if (handler === undefined) return false;
  answer(handler, request, response).catch(() => response.destroy());
  return true;
}

async function answer(handler: RouteHandler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // As Next.js makes it: the body is the message itself, read when it is asked for.
  const init = { method: request.method, headers: request.headers, body: request, duplex: "half" };
  const asked = new Request(new URL(request.url ?? "", "http://localhost"), init as unknown as RequestInit);
  const answered = await handler(asked, { params: Promise.resolve({}) });
  const body = await answered.text();
  response.statusCode = answered.status;
  response.setHeaders(answered.headers);
  response.end(body);
}

// Next.js loads a module once for routes and once for the start: this is where they meet.
function routes(): Map<string, RouteHandler> {
  const held = globalThis as { [ROUTES]?: Map<string, RouteHandler> };
  held[ROUTES] ??= new Map();
  return held[ROUTES];
}

const ROUTES = Symbol.for("stopwatch.fast-path");
