import { type AppError, ERROR_STATUS } from "#domain/errors.ts";

/** An answer before it is written: `body` becomes JSON, undefined becomes no body. */
export type Reply = { status: number; body?: unknown; headers?: Record<string, string> };

export function ok(body: unknown, headers?: Record<string, string>): Reply {
  return { status: 200, body, headers };
}

export function errorReply(error: AppError): Reply {
  const { code, publicMessage: message, details, headers } = error;
  return { status: ERROR_STATUS[code], body: { error: { code, message, ...(details && { details }) } }, headers };
}

export function toResponse(reply: Reply, requestId: string): Response {
  const headers = new Headers({
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...reply.headers,
    "X-Request-Id": requestId,
  });
  if (reply.body === undefined) return new Response(null, { status: reply.status, headers });
  headers.set("Content-Type", "application/json");
  return new Response(JSON.stringify(reply.body), { status: reply.status, headers });
}
