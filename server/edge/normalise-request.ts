import type { IncomingMessage } from "node:http";

/**
 * Makes our own routes answer what Next.js would answer before them, outside the envelope or in a way of its own. Under
 * /v1: paths that cannot be decoded (it answers 500), slashes too many and backslashes (308), headers that ask for a
 * page's data (307), query parameters that it keeps to itself (it drops them); everywhere: absolute addresses as target
 * (308) and methods it does not know (400 or 500).
 */
export function makeReadable(request: Pick<IncomingMessage, "url" | "method" | "headers">): void {
  if (!KNOWN_METHODS.has(request.method ?? "")) request.method = REFUSED_METHOD;
  const target = originForm(request.url ?? "");
  request.url = target;
  if (!isOfApi(target)) {
    dropForeignAction(request.headers);
    return;
  }
  const [path = ""] = target.split("?", 1);
  request.url = readablePath(path) + withKnownNames(target.slice(path.length));
  for (const name of PAGE_HEADERS) delete request.headers[name];
}

/** Whether a request's target is under /v1, however many slashes it is written with. */
export function isOfApi(target: string): boolean {
  return /^[/\\]+v1(?:[/\\?]|$)/.test(originForm(target));
}

/** Whether a request's target is one of the health endpoints. */
export function isOfHealth(target: string): boolean {
  return /^\/(?:healthz|readyz|metricsz)(?:\?|$)/.test(target);
}

// Next.js writes the id of an action that it does not know into the log: only what looks like one gets there.
function dropForeignAction(headers: IncomingMessage["headers"]): void {
  if (!/^[0-9a-f]{42}$/.test(String(headers["next-action"] ?? ""))) delete headers["next-action"];
}

// Every route refuses PUT (`methods` takes no handler for it), so that it stands for any other method.
const REFUSED_METHOD = "PUT";
const KNOWN_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const PAGE_HEADERS = [
  ...["rsc", "next-router-prefetch", "next-router-segment-prefetch", "next-router-state-tree", "next-url"],
  ...["next-action", "x-nextjs-data"],
];

/** RFC 9112, section 3.2; `*`, which asks about the server as a whole, is answered by one of its paths. */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  if (target === "*") return "/healthz";
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return path.startsWith("/") ? path : `/${path}`;
}

function readablePath(path: string): string {
  // One segment under /v1, where nothing is.
  if (/[/\\]{2}|\\|.\/$/.test(path)) return `/v1/${encodeURIComponent(path)}`;
  return isDecodable(path) ? path : path.replaceAll("%", "%25");
}

function withKnownNames(query: string): string {
  return query.replaceAll(NAMES_LOST, "x_");
}

// Next.js takes names that begin with nxtP or nxtI for its own, and __proto__ gets lost on its way through an object.
const NAMES_LOST = new RegExp(`(?<=[?&])(?=${["nxtP", "nxtI", "__proto__"].map(evenEncoded).join("|")})`, "gi");

function evenEncoded(name: string): string {
  return name.replaceAll(/./g, (letter) => `(?:${letter}|%${letter.charCodeAt(0).toString(16)})`);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
