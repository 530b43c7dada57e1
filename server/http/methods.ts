import { AppError } from "#domain/errors.ts";
import { answering, type RouteHandler } from "./envelope.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

type Method = (typeof METHODS)[number];

/**
 * A handler for every method of a path: those given, HEAD (as GET, without the body, unless it is given), OPTIONS (204 with `Allow`), and 405
 * with `Allow` for the rest, which PUT always belongs to.
 */
export function methods(
  given: Partial<Record<"GET" | "HEAD" | "POST" | "PATCH" | "DELETE", RouteHandler>>,
): Record<Method, RouteHandler> {
  const known = { ...(given.GET && { HEAD: withoutBody(given.GET) }), ...given };
  const headers = { Allow: METHODS.filter((method) => method in known || method === "OPTIONS").join(", ") };
  const refuse = answering(async () => {
    throw new AppError("METHOD_NOT_ALLOWED", `The methods of this path are ${headers.Allow}.`, { headers });
  });
  const describe = answering(async () => ({ status: 204, headers }));
  return {
    GET: known.GET ?? refuse,
    HEAD: known.HEAD ?? refuse,
    POST: known.POST ?? refuse,
    PUT: refuse,
    PATCH: known.PATCH ?? refuse,
    DELETE: known.DELETE ?? refuse,
    OPTIONS: describe,
  };
}

/** The same handler for every method: a path that nothing answers. */
export function everyMethod(handler: RouteHandler): Record<Method, RouteHandler> {
  return Object.fromEntries(METHODS.map((method) => [method, handler])) as Record<Method, RouteHandler>;
}

function withoutBody(handler: RouteHandler): RouteHandler {
  return async (request, context) => new Response(null, await handler(request, context));
}
