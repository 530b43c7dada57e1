import { randomUUID } from "node:crypto";
import type { AppError } from "#domain/errors.ts";

/** An answer before it is written: `body` becomes JSON unless there is `text` in its place, undefined becomes no body. */
export type Reply = { status: number; body?: unknown; text?: Text; headers?: Record<string, string> };

type Text = { type: string; content: string };

export function ok<Body>(body: Body, headers?: Record<string, string>) {
  return { status: 200 as const, body, headers };
}

export function created<Body>(body: Body) {
  return { status: 201 as const, body };
}

export function noContent(headers?: Record<string, string>) {
  return { status: 204 as const, body: undefined, headers };
}

export function errorReply(error: AppError): Reply {
  const { code, publicMessage: message, details, headers, status } = error;
  return { status, body: { error: { code, message, ...(details && { details }) } }, headers };
}

/** Names one call, in its answer and in the log. */
export function newRequestId(): string {
  return `req_${randomUUID().replaceAll("-", "")}`;
}

export function toResponse(reply: Reply, requestId: string): Response {
  const { status } = reply;
  const headers: Record<string, string> = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...reply.headers,
    "X-Request-Id": requestId,
  };
  if (reply.text === undefined && reply.body === undefined) return new Response(null, { status, headers });
  headers["Content-Type"] = reply.text?.type ?? "application/json";
  return new Response(reply.text?.content ?? JSON.stringify(reply.body), { status, headers });
}
