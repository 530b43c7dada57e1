import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

/**
 * Enforces the cookie rules of an answer when its head is written. An answer that sets a cookie is `no-store`. A 304
 * sets none, since a cache would add it to its stored answer. The session cookie of `renewOnAnswer` is added to answers
 * that no cache stores, unless they set or clear it themselves.
 */
export function guardCookies(response: ServerResponse): void {
  const { writeHead } = response;
  response.writeHead = ((status: number, ...rest: (string | OutgoingHttpHeaders | string[] | undefined)[]) => {
    const message = typeof rest[0] === "string" ? rest[0] : undefined;
    setHeaders(
      response,
      rest.find((one) => typeof one === "object"),
    );
    addRenewal(response);
    if (status === 304) response.removeHeader("set-cookie");
    if (response.hasHeader("set-cookie") && !says(response, NO_STORE)) response.setHeader("Cache-Control", "no-store");
    return Reflect.apply(writeHead, response, message === undefined ? [status] : [status, message]);
  }) as typeof writeHead;
}

/**
 * Makes an answer send the session cookie again. Call it only when the session was looked up and renewed, since the
 * `Cookie` header may hold tokens that are not valid.
 */
export function renewOnAnswer(response: object, setCookie: string): void {
  (response as Renewing)[RENEWAL] = setCookie;
}

/** Whether an answer says that no cache may keep it. In development Next.js says `no-cache` alone. */
export function isPrivate(response: ServerResponse): boolean {
  return says(response, /\bno-(?:store|cache)\b/i);
}

function says(response: ServerResponse, directive: RegExp): boolean {
  return directive.test(String(response.getHeader("cache-control") ?? ""));
}

function addRenewal(response: ServerResponse): void {
  const renewal = (response as Renewing)[RENEWAL];
  if (renewal === undefined || !isPrivate(response)) return;
  const name = renewal.slice(0, renewal.indexOf("=") + 1);
  const own = [response.getHeader("set-cookie") ?? []].flat();
  if (!own.some((cookie) => String(cookie).startsWith(name))) response.appendHeader("Set-Cookie", renewal);
}

/** Sets the headers passed to `writeHead`, an object or flat pairs, so that `response.getHeader` finds them. */
function setHeaders(response: ServerResponse, given: OutgoingHttpHeaders | string[] = {}): void {
  const pairs = Array.isArray(given) ? pairsOf(given) : Object.entries(given);
  const seen = new Set<string>();
  for (const [name, value] of pairs) {
    if (value === undefined) continue;
    if (seen.has(name.toLowerCase())) response.appendHeader(name, String(value));
    else response.setHeader(name, value);
    seen.add(name.toLowerCase());
  }
}

function pairsOf(flat: string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at] as string, flat[2 * at + 1] as string]);
}

type Renewing = { [RENEWAL]?: string };

// Registered, since Next.js loads this module twice: in the pages' bundle and in that of instrumentation.ts.
const RENEWAL = Symbol.for("stopwatch.session-cookie");
const NO_STORE = /\bno-store\b/i;
