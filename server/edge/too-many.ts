import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "#domain/errors.ts";
import { isApiTarget } from "../http/normalise-request.ts";
import { plainPage } from "../http/plain-page.ts";
import { errorReply, toAnswer, toResponse } from "../http/reply.ts";
import { newRequestId } from "../http/request-id.ts";
import { getServices } from "../services.ts";

/**
 * Answers 429 with `Retry-After`, without Next.js: the error envelope under /v1, a small page for a browser, and a line of
 * text otherwise.
 */
export function sendTooMany(
  { url = "", headers }: Pick<IncomingMessage, "url" | "headers">,
  response: ServerResponse,
  waitMs: number,
): void {
  const waitS = Math.ceil(waitMs / 1_000);
  const message = `Too many requests came from this address. Try again in ${waitS} s.`;
  const error = new AppError("RATE_LIMITED", message, { headers: { "Retry-After": String(waitS) } });
  const reply = errorReply(error, getServices().config.baseUrl);
  const { text, policy } = textOf(message, {
    isApi: isApiTarget(url),
    isBrowser: headers.accept?.includes("text/html"),
  });
  const sent = toResponse(toAnswer({ ...reply, ...(text && { text }) }, newRequestId()));
  if (policy !== undefined) sent.headers.set("Content-Security-Policy", policy);
  response.statusCode = sent.status;
  response.setHeaders(sent.headers);
  const body = text?.content ?? JSON.stringify(reply.body);
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(body);
}

function textOf(message: string, to: { isApi: boolean; isBrowser: boolean | undefined }) {
  if (to.isApi) return {};
  if (!to.isBrowser) return { text: { type: "text/plain; charset=utf-8", content: `${message}\n` } };
  const { html, policy } = plainPage("Too many requests", message);
  return { text: { type: "text/html; charset=utf-8", content: html }, policy };
}
