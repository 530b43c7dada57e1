import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

/**
 * Makes our own routes answer what Next.js would refuse before them, outside the envelope: under /v1, a path with
 * malformed percent-encoding (it answers 500) and methods it does not know, such as TRACE (400 or 500).
 */
export function makeRequestsReadable(): void {
  // Node publishes this before it hands the request to the server.
  subscribe("http.server.request.start", (message) => makeReadable((message as { request: IncomingMessage }).request));
}

export function makeReadable(request: Pick<IncomingMessage, "url" | "method">): void {
  const [path = "", ...query] = (request.url ?? "").split("?");
  if (!/^\/v1(\/|$)/.test(path)) return;
  if (!isDecodable(path)) request.url = [path.replaceAll("%", "%25"), ...query].join("?");
  if (!KNOWN_METHODS.has(request.method ?? "")) request.method = REFUSED_METHOD;
}

// Every route refuses PUT (`methods` takes no handler for it), so that it stands for any other method.
const REFUSED_METHOD = "PUT";
const KNOWN_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
