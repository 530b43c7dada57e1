import { type ErrorDetail, StopwatchError } from "../error.ts";
import type { Trace } from "./call.ts";

type Answer = { status: number; headers: { get(name: string): string | null }; text: string };

/** The body of a success, undefined when it has none (204). Throws the error that any other answer stands for. */
export function parseAnswer(
  { status, headers, text }: Answer,
  baseUrl: string,
  attempts: number,
  trace: Trace,
): unknown {
  const serverMs = Date.parse(headers.get("date") ?? "");
  trace.serverMs = serverMs || Date.now();
  if (status === 204) return undefined;
  let body: { error?: { code?: unknown; message?: unknown; details?: unknown } } | null | undefined;
  try {
    body = JSON.parse(text);
  } catch {
    // Not JSON; said below.
  }
  if (status >= 200 && status < 300 && body && typeof body === "object") return body;
  const { code, message, details } = body?.error ?? {};
  const isOurs = typeof code === "string" && typeof message === "string";
  const rest = {
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    details: isOurs && Array.isArray(details) ? (details as ErrorDetail[]) : [],
    retryAfterMs: readRetryAfter(headers.get("retry-after"), trace.serverMs),
    attempts,
  };
  if (!isOurs) throw new StopwatchError("BAD_RESPONSE", describe(status, headers.get("location"), baseUrl), rest);
  const isTime = code === "VALIDATION" && rest.details.some(({ path }) => path === "fireAt");
  throw new StopwatchError(code, message + (isTime && serverMs ? describeClock(serverMs) : ""), rest);
}

function describe(status: number, location: string | null, baseUrl: string): string {
  // Browsers and some runtimes hide the status of a redirect.
  if (status < 400 && !(status >= 200 && status < 300)) {
    const leadsTo = /^https?:\/\/[^/?#@]+/.exec(location ?? "")?.[0] ?? "another address";
    return `${baseUrl} redirects to ${leadsTo}: is that the base address?`;
  }
  return `${baseUrl} answered ${status}, but not as Stopwatch does: is the base address right?`;
}

function describeClock(serverMs: number): string {
  const aheadS = Math.round((Date.now() - serverMs - 500) / 1000);
  return ` (this machine's clock is ${Math.abs(aheadS)} s ${aheadS < 0 ? "behind" : "ahead of"} the service's)`;
}

/** Seconds or a date (RFC 9110, 10.2.3), as milliseconds from now on. */
function readRetryAfter(text: string | null, serverMs: number): number | undefined {
  if (!text) return undefined;
  const ms = /^\d+$/.test(text) ? +text * 1000 : Date.parse(text) - serverMs;
  return ms >= 0 ? ms : undefined;
}
