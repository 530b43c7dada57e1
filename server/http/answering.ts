import { randomUUID } from "node:crypto";
import { DatabaseUnavailable } from "#db/client.ts";
import { AppError } from "#domain/errors.ts";
import { services } from "../services.ts";
import { errorReply, type Reply, toResponse } from "./reply.ts";

/** What Next.js calls. */
export type RouteHandler = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;

/**
 * Gives each call a request id of its own and maps every error to the envelope, in this one place: an AppError as it
 * is, anything else to a fixed text outside and a line in the log.
 */
export function answering(work: (...call: Parameters<RouteHandler>) => Promise<Reply>): RouteHandler {
  return async (request, context) => {
    const requestId = `req_${randomUUID().replaceAll("-", "")}`;
    try {
      return toResponse(await work(request, context), requestId);
    } catch (error) {
      return toResponse(errorReply(toAppError(error, request, requestId)), requestId);
    }
  };
}

function toAppError(error: unknown, request: Request, requestId: string): AppError {
  if (error instanceof AppError && !(error instanceof DatabaseUnavailable)) return error;
  const call = { requestId, method: request.method, path: new URL(request.url).pathname, err: error };
  if (error instanceof DatabaseUnavailable) {
    services().log.warn(call, "answered 503");
    return new AppError("UNAVAILABLE", `${error.publicMessage}${WRITE_ADVICE[request.method] ?? ""}`, {
      headers: { "Retry-After": "5" },
    });
  }
  services().log.error(call, "answered 500");
  return new AppError("INTERNAL", "Something went wrong here. It was noted under the id in X-Request-Id.");
}

const MAY_REPEAT = " The change may have been stored: sending the same request again is safe.";

const WRITE_ADVICE: Record<string, string> = {
  POST: " What was asked for may have been stored: asking again with the same idempotencyKey is the safe way.",
  PUT: MAY_REPEAT,
  PATCH: MAY_REPEAT,
  DELETE: MAY_REPEAT,
};
