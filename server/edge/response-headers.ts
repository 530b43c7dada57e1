import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "#config.ts";
import { newRequestId } from "../http/reply.ts";

/** The request header that passes the request id to pages; a value sent by the caller is overwritten. */
export const PAGE_REQUEST_ID_HEADER = "x-request-id";

export type PageSettings = {
  /** Whether the public base URL is https. */
  isHttps: boolean;
  /** The hosts that `Strict-Transport-Security` covers. */
  hsts: Config["hsts"];
  /** Whether this is the development server, whose scripts need `unsafe-eval` and whose styles are inline. */
  isDevelopment: boolean;
};

/**
 * Sets security headers: nosniff, a content policy and, on https, HSTS on every response; on pages also the policies for
 * referrer, permissions and openers, and the request id; on others that no other site may embed them. Next.js reads the nonce
 * for its inline scripts from the policy in the request headers.
 */
export function addSecurityHeaders(
  request: Pick<IncomingMessage, "headers">,
  response: Pick<ServerResponse, "setHeader" | "setHeaders">,
  isPage: boolean,
  settings: PageSettings,
): void {
  response.setHeaders(isPage ? commonHeaders(settings) : apiHeaders(settings));
  // Next.js must not read a nonce from a policy that the caller sent.
  delete request.headers["content-security-policy-report-only"];
  delete request.headers["content-security-policy"];
  if (!isPage) return;
  const requestId = newRequestId();
  request.headers[PAGE_REQUEST_ID_HEADER] = requestId;
  response.setHeader("X-Request-Id", requestId);
  const nonce = `'nonce-${randomBytes(NONCE_BYTES).toString("base64")}'`;
  const policy = contentSecurityPolicy(`${nonce} 'strict-dynamic'`, nonce, settings);
  request.headers["content-security-policy"] = policy;
  response.setHeader("Content-Security-Policy", policy);
  response.setHeader("Referrer-Policy", "strict-origin-when-cross-origin");
  response.setHeader("Permissions-Policy", PERMISSIONS_POLICY);
  // Sign-in and payment navigate the page and open no window, so "same-origin" breaks neither.
  response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
}

/** Security headers of all other responses: shown as a document, one loads nothing, and no page can frame it. */
export function apiHeaders(settings: PageSettings): Map<string, string> {
  return (
    commonHeaders(settings)
      .set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
      // Reads by CORS from other origins are not affected.
      .set("Cross-Origin-Resource-Policy", "same-origin")
  );
}

function commonHeaders({ isHttps, hsts }: PageSettings): Map<string, string> {
  const headers = new Map([["X-Content-Type-Options", "nosniff"]]);
  const subdomains = hsts === "subdomains" ? "; includeSubDomains" : "";
  if (isHttps && hsts !== "off") headers.set("Strict-Transport-Security", `max-age=${YEAR_S}${subdomains}`);
  return headers;
}

/**
 * Allows shared caches to keep the page of the public figures for some seconds. A visitor with any cookie gets a
 * response of their own, because it has their theme and may renew their session. Cached responses share a nonce. That
 * is safe because the page shows nothing that a visitor sends.
 */
export function allowSharedCaching(
  { method, url = "", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  response: ServerResponse,
): void {
  if ((method !== "GET" && method !== "HEAD") || !SHARED_PAGE.test(url)) return;
  const isAnonymous = headers.cookie === undefined;
  // When the head is written, since Next.js sets both headers itself.
  const writeHead = response.writeHead;
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    response.appendHeader("Vary", "Cookie");
    if (head[0] === 200 && isAnonymous) response.setHeader("Cache-Control", `public, max-age=${SHARED_MAX_AGE_S}`);
    return writeHead.apply(response, head);
  }) as typeof writeHead;
}

const SHARED_PAGE = /^\/status(?:\?|$)/;
const SHARED_MAX_AGE_S = 15;

/** Removes the names from `Vary` that Next.js adds for its page requests: API responses do not depend on them. */
export function dropNextVary(response: ServerResponse): void {
  const writeHead = response.writeHead;
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    const vary = [response.getHeader("vary") ?? []].flat().join(",");
    const names = vary.split(",").filter((name) => name.trim() !== "" && !NEXT_VARY.test(name));
    if (names.length === 0) response.removeHeader("vary");
    else response.setHeader("Vary", names.map((name) => name.trim()).join(", "));
    return writeHead.apply(response, head);
  }) as typeof writeHead;
}

/** What pages never ask for. Copying to the clipboard stays allowed. */
const PERMISSIONS_POLICY = [
  ...["accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone"],
  ...["midi", "payment", "screen-wake-lock", "usb", "xr-spatial-tracking"],
]
  .map((feature) => `${feature}=()`)
  .join(", ");

const YEAR_S = 31_536_000;
const NONCE_BYTES = 16;
const NEXT_VARY = /^\s*(?:rsc|next-router-.*|next-url)\s*$/i;

/** The policy of a document that is sent more than once: its own scripts by their hashes (`'sha256-…'`), in place of a nonce. */
export function documentPolicy(scriptHashes: readonly string[], settings: PageSettings): string {
  return contentSecurityPolicy(scriptHashes.join(" "), "", settings);
}

/** Sources: Content Security Policy Level 3, and the documentation of Next.js on nonces. */
function contentSecurityPolicy(scripts: string, styles: string, { isHttps, isDevelopment }: PageSettings): string {
  return [
    "default-src 'self'",
    `script-src 'self' ${scripts}${isDevelopment ? " 'unsafe-eval'" : ""}`.trimEnd(),
    `style-src 'self' ${isDevelopment ? "'unsafe-inline'" : styles}`.trimEnd(),
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    ...(isHttps ? ["upgrade-insecure-requests"] : []),
  ].join("; ");
}
