import { DatabaseUnavailable } from "#db/client.ts";
import { AppError } from "#domain/errors.ts";
import { getServices } from "../services.ts";
import { loggedPath, logResponse } from "./log-response.ts";
import { type Answer, errorReply, type Reply, toAnswer, toResponse } from "./reply.ts";
import { newRequestId } from "./request-id.ts";

/** A route handler as Next.js calls it. */
export type RouteHandler = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;

/** A route handler whose answer can also be had without the streams of a `Response`, which take CPU time. */
export type EnvelopedHandler = RouteHandler & { answer(...call: Parameters<RouteHandler>): Promise<Answer> };

/** What handlers and middleware add to the response and its log line, also when they throw. */
export type ResponseMeta = {
  /** Response headers, sent with errors too. */
  headers: Record<string, string>;
  accountId?: string;
  /** The id of the request, as in `X-Request-Id` and the log. */
  requestId?: string;
  /** The `Set-Cookie` of a session that was looked up and renewed (`withRenewal`). */
  renewedSession?: string;
};

/**
 * Wraps `work` into a route handler: assigns a request id, turns every error into the error envelope and logs the
 * response. An AppError is sent as it is. Any other error is logged and sent as INTERNAL with a fixed text.
 */
export function withEnvelope(
  work: (...context: [...Parameters<RouteHandler>, meta: ResponseMeta]) => Promise<Reply>,
): EnvelopedHandler {
  const answer: EnvelopedHandler["answer"] = async (request, context) => {
    const startedMs = performance.now();
    const requestId = newRequestId();
    const meta: ResponseMeta = { headers: {}, requestId };
    let reply: Reply;
    try {
      reply = await work(request, context, meta);
    } catch (error) {
      reply = errorReply(toAppError(error, request, requestId), getServices().config.baseUrl);
    }
    logResponse(request, reply.status, { requestId, accountId: meta.accountId, ms: performance.now() - startedMs });
    const headers = { ...meta.headers, ...reply.headers };
    const cookies =
      meta.renewedSession === undefined ? reply.cookies : withRenewal(meta.renewedSession, headers, reply);
    return toAnswer({ ...reply, headers, cookies }, requestId);
  };
  const handler: RouteHandler = async (request, context) => toResponse(await answer(request, context));
  return Object.assign(handler, { answer });
}

/** Adds the cookie of a renewed session to an answer that no cache stores, unless it sets or clears it itself. */
function withRenewal(renewal: string, headers: Record<string, string>, { cookies = [] }: Reply): readonly string[] {
  if (!(headers["Cache-Control"] ?? "no-store").includes("no-store")) return cookies;
  const name = renewal.slice(0, renewal.indexOf("=") + 1);
  const isOwn = [...cookies, headers["Set-Cookie"] ?? ""].some((cookie) => cookie.startsWith(name));
  return isOwn ? cookies : [...cookies, renewal];
}

function toAppError(error: unknown, request: Request, requestId: string): AppError {
  if (error instanceof AppError && !(error instanceof DatabaseUnavailable)) return error;
  const context = { requestId, method: request.method, path: loggedPath(request.url), err: error };
  if (error instanceof DatabaseUnavailable) {
    const { fault, reason } = error;
    getServices().log.warn({ ...context, fault, reason }, "request failed: 503");
    const advice = error.changedNothing ? NOTHING_STORED : (WRITE_ADVICE.get(request.method) ?? "");
    return new AppError("UNAVAILABLE", `${error.publicMessage}${advice}`, {
      headers: { "Retry-After": "5" },
    });
  }
  getServices().log.error(context, "request failed: 500");
  return new AppError("INTERNAL", "Something went wrong here. It was logged under the id in X-Request-Id.");
}

const NOTHING_STORED =
  " This call stored nothing. Sending it again later, with the same idempotencyKey if it has one, is safe.";

// The connection may have broken after the commit.
const MAY_RETRY = " The change may have been stored. Sending the same request again is safe.";

const WRITE_ADVICE = new Map<string, string>(
  Object.entries({
    POST: " The request may have been stored. To retry safely, send it again with the same idempotencyKey.",
    PUT: MAY_RETRY,
    PATCH: MAY_RETRY,
    DELETE: MAY_RETRY,
  }),
);
