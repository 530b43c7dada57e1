import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { newRequestId } from "../http/reply.ts";

/** Under this name a page finds the id of its request, which is never the caller's. */
export const PAGE_REQUEST_ID = "x-request-id";

export type PageSettings = {
  /** Whether callers reach us by https. */
  isHttps: boolean;
  /** Whether Next.js compiles pages as they are asked for: its scripts then evaluate text, and its styles are inline. */
  isDevelopment: boolean;
};

/**
 * Says with every answer that its type is what it says and, on https, that there is no other way here; with a page also
 * what it may load and run, that no page may frame it, what others learn of its address, and its request's id. Inline
 * scripts need the nonce of their answer, which Next.js finds in the policy that is written into the request here.
 */
export function addSecurityHeaders(
  request: Pick<IncomingMessage, "headers">,
  response: Pick<ServerResponse, "setHeader">,
  isPage: boolean,
  settings: PageSettings,
): void {
  response.setHeader("X-Content-Type-Options", "nosniff");
  if (settings.isHttps) response.setHeader("Strict-Transport-Security", `max-age=${YEAR_S}`);
  // Whatever a caller sends under these names is not for Next.js to take a nonce from.
  delete request.headers["content-security-policy-report-only"];
  delete request.headers["content-security-policy"];
  if (!isPage) return;
  const requestId = newRequestId();
  request.headers[PAGE_REQUEST_ID] = requestId;
  response.setHeader("X-Request-Id", requestId);
  const policy = contentPolicy(randomBytes(NONCE_BYTES).toString("base64"), settings);
  request.headers["content-security-policy"] = policy;
  response.setHeader("Content-Security-Policy", policy);
  response.setHeader("Referrer-Policy", "strict-origin-when-cross-origin");
}

/**
 * Takes out of `Vary` what tells answers to Next.js's own requests from whole pages, and what Next.js adds to every
 * answer: those of the API are the same for all of them.
 */
export function varyAsApi(response: ServerResponse): void {
  const writeHead = response.writeHead;
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    const vary = [response.getHeader("vary") ?? []].flat().join(",");
    const kept = vary.split(",").filter((name) => name.trim() !== "" && !PAGE_VARY.test(name));
    if (kept.length === 0) response.removeHeader("vary");
    else response.setHeader("Vary", kept.map((name) => name.trim()).join(", "));
    return writeHead.apply(response, head);
  }) as typeof writeHead;
}

const YEAR_S = 31_536_000;
const NONCE_BYTES = 16;
const PAGE_VARY = /^\s*(?:rsc|next-router-.*|next-url)\s*$/i;

/** Sources: Content Security Policy Level 3, and Next.js on its nonces. */
function contentPolicy(nonce: string, { isHttps, isDevelopment }: PageSettings): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    `style-src 'self' ${isDevelopment ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    ...(isHttps ? ["upgrade-insecure-requests"] : []),
  ].join("; ");
}
