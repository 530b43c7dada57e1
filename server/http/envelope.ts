import { DatabaseUnavailable } from "#db/client.ts";
import { AppError } from "#domain/errors.ts";
import { services } from "../services.ts";
import { logAnswer, loggedPath } from "./log-response.ts";
import { errorReply, newRequestId, type Reply, toResponse } from "./reply.ts";

/** What Next.js calls. */
export type RouteHandler = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;

/** What becomes known of a call while it is answered, and counts whatever the answer will be. */
export type ResponseMeta = {
  /** Headers of the answer, an error's too. */
  headers: Record<string, string>;
  accountId?: string;
};

/**
 * Gives each call a request id of its own and maps every error to the envelope, in this one place: an AppError as it
 * is, anything else to a fixed text outside and a line in the log. Logs what it answered.
 */
export function answering(
  work: (...call: [...Parameters<RouteHandler>, meta: ResponseMeta]) => Promise<Reply>,
): RouteHandler {
  return async (request, context) => {
    const startedMs = performance.now();
    const requestId = newRequestId();
    const meta: ResponseMeta = { headers: {} };
    let reply: Reply;
    try {
      reply = await work(request, context, meta);
    } catch (error) {
      reply = errorReply(toAppError(error, request, requestId));
    }
    logAnswer(request, reply.status, { requestId, accountId: meta.accountId, ms: performance.now() - startedMs });
    return toResponse({ ...reply, headers: { ...meta.headers, ...reply.headers } }, requestId);
  };
}

function toAppError(error: unknown, request: Request, requestId: string): AppError {
  if (error instanceof AppError && !(error instanceof DatabaseUnavailable)) return error;
  const call = { requestId, method: request.method, path: loggedPath(request.url), err: error };
  if (error instanceof DatabaseUnavailable) {
    services().log.warn(call, "answered 503");
    return new AppError("UNAVAILABLE", `${error.publicMessage}${WRITE_ADVICE[request.method] ?? ""}`, {
      headers: { "Retry-After": "5" },
    });
  }
  services().log.error(call, "answered 500");
  return new AppError("INTERNAL", "Something went wrong here. It was meta under the id in X-Request-Id.");
}

const MAY_REPEAT = " The change may have been stored: sending the same request again is safe.";

const WRITE_ADVICE: Record<string, string> = {
  POST: " What was asked for may have been stored: asking again with the same idempotencyKey is the safe way.",
  PUT: MAY_REPEAT,
  PATCH: MAY_REPEAT,
  DELETE: MAY_REPEAT,
};
