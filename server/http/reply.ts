import { type AppError, errorPage } from "#domain/errors.ts";
import { perServices } from "../services.ts";
import { apiHeaders, readPageSettings } from "./response-headers.ts";

/**
 * A response before serialization: `body` is sent as JSON, or `text`, `bytes` or `stream` as they are; with none there is no
 * body.
 */
export type Reply = {
  status: number;
  body?: unknown;
  text?: TextBody;
  bytes?: { type: string; content: Uint8Array<ArrayBuffer> };
  stream?: { type: string; content: ReadableStream<Uint8Array> };
  headers?: Record<string, string>;
  /** Values of `Set-Cookie` headers. */
  cookies?: readonly string[];
};

type TextBody = { type: string; content: string };

export function ok<Body>(body: Body, headers?: Record<string, string>) {
  return { status: 200 as const, body, headers };
}

export function created<Body>(body: Body) {
  return { status: 201 as const, body };
}

export function accepted<Body>(body: Body, cookies: readonly string[] = []) {
  return { status: 202 as const, body, cookies };
}

export function noContent(headers?: Record<string, string>) {
  return { status: 204 as const, body: undefined, headers };
}

/** The error envelope; `baseUrl` is the address of the installation. */
export function errorReply(error: AppError, baseUrl: string): Reply {
  const { code, publicMessage: message, details, headers, cookies, status } = error;
  const doc_url = errorPage(baseUrl, code);
  return { status, body: { error: { code, message, doc_url, ...(details && { details }) } }, headers, cookies };
}

/** 303: redirects a browser to a path of this service or to a URL of a provider. */
export function seeOther(location: string, cookies: readonly string[] = []) {
  return { status: 303 as const, body: undefined, headers: { Location: location }, cookies };
}

/** 307: the file is at another path of this service for now. */
export function temporaryRedirect(location: string) {
  return { status: 307 as const, body: undefined, headers: { Location: location } };
}

/** A response as it is sent, but for the form: `content` is its body, or `stream`. */
export type Answer = {
  status: number;
  headers: Record<string, string>;
  /** Values of `Set-Cookie` headers. */
  cookies: readonly string[];
  content: string | Uint8Array<ArrayBuffer> | null;
  stream?: ReadableStream<Uint8Array>;
};

/** The answer with the security headers that every answer of a route has (`apiHeaders`), unless `reply` has its own. */
export function toAnswer(reply: Reply, requestId: string): Answer {
  const headers: Record<string, string> = {
    "Cache-Control": "no-store",
    ...securityHeaders(),
    ...reply.headers,
    "X-Request-Id": requestId,
  };
  const asIs = reply.text ?? reply.bytes;
  const content = asIs?.content ?? (reply.body === undefined ? null : JSON.stringify(reply.body));
  if (content !== null) headers["Content-Type"] = asIs?.type ?? "application/json";
  const answer = { status: reply.status, headers, cookies: reply.cookies ?? [], content };
  if (reply.stream === undefined) return answer;
  headers["Content-Type"] = reply.stream.type;
  return { ...answer, stream: reply.stream.content };
}

/** `toAnswer`, in the form that Next.js takes. */
export function toResponse({ status, headers, cookies, content, stream }: Answer): Response {
  const response = new Response(stream ?? content, { status, headers });
  for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
  return response;
}

const securityHeaders = perServices(({ config }) => Object.fromEntries(apiHeaders(readPageSettings(config))));
