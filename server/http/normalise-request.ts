import type { IncomingMessage } from "node:http";

/**
 * Rewrites requests that Next.js would respond to itself, so that they reach the routes and get the error envelope. In
 * parentheses what Next.js would do. Under /v1: repeated slashes and backslashes (308), headers that request a page's data
 * (307), query parameters with reserved names (dropped). Everywhere: undecodable paths (500), absolute URLs as request target
 * (308), unknown methods (400 or 500), and paths such as `/a/../b` (answered as `/b`, while the guard judged them as written).
 */
export function normaliseRequest(request: Pick<IncomingMessage, "url" | "method" | "headers">): void {
  delete request.headers[UNKNOWN_METHOD_HEADER];
  if (!KNOWN_METHODS.has(request.method ?? "")) {
    request.method = "PUT";
    request.headers[UNKNOWN_METHOD_HEADER] = "1";
  }
  const target = withoutDotSegments(originForm(request.url ?? ""));
  request.url = target;
  const [path = ""] = target.split("?", 1);
  delete request.headers["x-nextjs-data"];
  if (!isApiTarget(target)) {
    request.url = decodablePath(path) + target.slice(path.length);
    dropInvalidActionId(request.headers);
    return;
  }
  request.url = normalisePath(path) + escapeReservedNames(target.slice(path.length));
  for (const name of NEXT_HEADERS) delete request.headers[name];
}

/** Whether a request target is under /v1, with any number of leading slashes. */
export function isApiTarget(target: string): boolean {
  return /^[/\\]+v1(?:[/\\?]|$)/.test(originForm(target));
}

/** Whether a request target is the data of a public page, as the router of Next.js would ask for it. Ours has no script. */
export function isPageDataTarget(target: string): boolean {
  return target.startsWith("/_next/data/");
}

/** Whether a request target is one of the health endpoints. */
export function isHealthTarget(target: string): boolean {
  return /^\/(?:healthz|readyz|metricsz)(?:\?|$)/.test(target);
}

/** Whether a request target is a page, or a file that a page loads: nothing of the API and no file of a package. */
export function isPageTarget(target: string): boolean {
  return !isApiTarget(target) && !isHealthTarget(target) && !/^\/(?:sdk|cli)(?:\.tgz|\/)/.test(target);
}

/** Next.js logs the ids of unknown server actions: drops anything that is not a well-formed id. */
export function dropInvalidActionId(headers: IncomingMessage["headers"]): void {
  if (!/^[0-9a-f]{42}$/.test(String(headers["next-action"] ?? ""))) delete headers["next-action"];
}

// Next.js has no route for a method that it does not know, so such a request becomes a PUT that is refused (see `methods`).
const UNKNOWN_METHOD_HEADER = "x-stopwatch-unknown-method";

/** Whether a request came with a method that Next.js does not know. */
export function isUnknownMethod({ headers }: Pick<Request, "headers">): boolean {
  return headers.has(UNKNOWN_METHOD_HEADER);
}

const KNOWN_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const NEXT_HEADERS = [
  ...["rsc", "next-router-prefetch", "next-router-segment-prefetch", "next-router-state-tree", "next-url"],
  "next-action",
];

/** The request target in origin form (RFC 9112, section 3.2). `*`, which addresses the whole server, becomes /healthz. */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  if (target === "*") return "/healthz";
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return path.startsWith("/") ? path : `/${path}`;
}

/**
 * Resolves `.` and `..` in the path of a target, as Next.js does it (WHATWG URL, "path state"), so that the cost and the
 * headers of a request are those of the path that is answered.
 */
function withoutDotSegments(target: string): string {
  if (!/[/\\](?:\.|%2e)/i.test(target)) return target;
  const path = target.split(/[?#]/, 1)[0] ?? "";
  const segments = path.split(/[/\\]/);
  if (!segments.some(isDots)) return target;
  const kept: string[] = [];
  for (const [at, segment] of segments.entries()) {
    if (!isDots(segment)) kept.push(segment);
    else if (segment.replaceAll(/%2e/gi, ".") === ".." && kept.length > 1) kept.pop();
    if (isDots(segment) && at === segments.length - 1) kept.push("");
  }
  return kept.join("/") + target.slice(path.length);
}

const isDots = (segment: string) => /^(?:\.|%2e){1,2}$/i.test(segment);

function normalisePath(path: string): string {
  // As one segment under /v1 it matches no route.
  if (/[/\\]{2}|\\|.\/$/.test(path)) return `/v1/${encodeURIComponent(path)}`;
  return decodablePath(path);
}

/** A path that can be decoded, and where it could not, stands for the same characters. */
export function decodablePath(path: string): string {
  return isDecodable(path) ? path : path.replaceAll("%", "%25");
}

function escapeReservedNames(query: string): string {
  return query.replaceAll(RESERVED_NAMES, "x_");
}

// Next.js removes parameters whose names begin with nxtP or nxtI; __proto__ is lost as an object key.
const RESERVED_NAMES = new RegExp(
  `(?<=[?&])(?=${["nxtP", "nxtI", "__proto__"].map(percentEncodable).join("|")})`,
  "gi",
);

function percentEncodable(name: string): string {
  return name.replaceAll(/./g, (letter) => `(?:${letter}|%${letter.charCodeAt(0).toString(16)})`);
}

/** Whether percent-encoded text can be decoded. */
export function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
