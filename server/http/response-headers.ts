import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "#config.ts";
import { newRequestId } from "./request-id.ts";

/** The request header that passes the request id to pages; a value sent by the caller is overwritten. */
export const PAGE_REQUEST_ID_HEADER = "x-request-id";

/**
 * The request header that tells Next.js that the HTTP guard has had the request, so that it does not run `proxy.ts`, for
 * which it would read the whole body first. Without the guard anybody may send it, so `PLATFORM_HEADER` counts more.
 */
const GUARDED_HEADER = "x-stopwatch-guarded";

/** The request header that a platform which calls the handlers itself sets on every request, so that `proxy.ts` runs. */
const PLATFORM_HEADER = "x-vercel-id";

export type PageSettings = {
  /** Whether the public base URL is https. */
  isHttps: boolean;
  /** The hosts that `Strict-Transport-Security` covers. */
  hsts: Config["hsts"];
  /** Whether this is the development server, whose scripts need `unsafe-eval` and whose styles are inline. */
  isDevelopment: boolean;
};

export function readPageSettings({ baseUrl, hsts }: Pick<Config, "baseUrl" | "hsts">): PageSettings {
  // biome-ignore lint/style/noProcessEnv: the bundler replaces it
  return { isHttps: baseUrl.startsWith("https:"), hsts, isDevelopment: process.env.NODE_ENV === "development" };
}

/** Has Next.js not run `proxy.ts` for a request, since the guard does the same. */
export function markAsGuarded({ headers }: Pick<IncomingMessage, "headers">): void {
  headers[GUARDED_HEADER] = "1";
  delete headers[PLATFORM_HEADER];
}

/** Next.js must not read a nonce from a policy that the caller sent. */
export function dropSentPolicies({ headers }: Pick<IncomingMessage, "headers">): void {
  delete headers["content-security-policy-report-only"];
  delete headers["content-security-policy"];
}

/** Sets `pageHeaders` on an answer, and those of its request that Next.js and the page read. */
export function addPageHeaders(
  { headers }: Pick<IncomingMessage, "headers">,
  response: Pick<ServerResponse, "setHeaders">,
  settings: PageSettings,
): void {
  const { toPage, answer } = pageHeaders(settings);
  Object.assign(headers, toPage);
  response.setHeaders(answer);
}

/**
 * The security headers of a page: nosniff, a content policy with a new nonce, on https HSTS, the policies for referrer,
 * permissions and openers, and a new request id. `toPage` are those of the request: Next.js reads the nonce for its inline
 * scripts from the policy there.
 */
export function pageHeaders(settings: PageSettings): { toPage: Record<string, string>; answer: Map<string, string> } {
  const requestId = newRequestId();
  const nonce = `'nonce-${randomBytes(NONCE_BYTES).toString("base64")}'`;
  const policy = contentSecurityPolicy(`${nonce} 'strict-dynamic'`, nonce, settings);
  const answer = commonHeaders(settings)
    .set("X-Request-Id", requestId)
    .set("Content-Security-Policy", policy)
    .set("Referrer-Policy", "strict-origin-when-cross-origin")
    .set("Permissions-Policy", PERMISSIONS_POLICY)
    // Sign-in and payment navigate the page and open no window, so "same-origin" breaks neither.
    .set("Cross-Origin-Opener-Policy", "same-origin");
  return { toPage: { [PAGE_REQUEST_ID_HEADER]: requestId, "content-security-policy": policy }, answer };
}

/** The nonce of a page's policy (`pageHeaders`); undefined without one. */
export function readNonce(policy: string | null | undefined): string | undefined {
  return /'nonce-([\w+/=-]+)'/.exec(policy ?? "")?.[1];
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
