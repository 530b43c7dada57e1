import { AppError } from "#domain/errors.ts";
import { type RouteHandler, withEnvelope } from "../http/envelope.ts";
import { isUnknownMethod } from "../http/normalise-request.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

type Method = (typeof METHODS)[number];

/**
 * A handler for every method of a path: the given `handlers`, HEAD (GET without the body, unless given), OPTIONS (204
 * with `Allow`), and 405 with `Allow` for all others, also for a method that the HTTP guard does not know, which comes as
 * a marked PUT.
 */
export function methods(
  handlers: Partial<Record<"GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE", RouteHandler>>,
): Record<Method, RouteHandler> {
  const supported = { ...(handlers.GET && { HEAD: withoutBody(handlers.GET) }), ...handlers };
  const headers = { Allow: METHODS.filter((method) => method in supported || method === "OPTIONS").join(", ") };
  const refuse = withEnvelope(async () => {
    throw new AppError("METHOD_NOT_ALLOWED", `This path supports ${headers.Allow}.`, { headers });
  });
  const { PUT: put } = supported;
  const describe = withEnvelope(async () => ({ status: 204, headers }));
  return {
    GET: supported.GET ?? refuse,
    HEAD: supported.HEAD ?? refuse,
    POST: supported.POST ?? refuse,
    PUT: put ? (request, context) => (isUnknownMethod(request) ? refuse : put)(request, context) : refuse,
    PATCH: supported.PATCH ?? refuse,
    DELETE: supported.DELETE ?? refuse,
    OPTIONS: describe,
  };
}

/** The same handler for every method: for paths that do not exist. */
export function everyMethod(handler: RouteHandler): Record<Method, RouteHandler> {
  return Object.fromEntries(METHODS.map((method) => [method, handler])) as Record<Method, RouteHandler>;
}

function withoutBody(handler: RouteHandler): RouteHandler {
  return async (request, context) => new Response(null, await handler(request, context));
}
