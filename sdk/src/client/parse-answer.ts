import { type ErrorDetail, StopwatchError } from "../error.ts";
import type { Trace } from "./call.ts";

type Head = { status: number; headers: { get(name: string): string | null } };
type Body = { error?: { code?: unknown; message?: unknown; details?: unknown } } | null | undefined;

/** The body of a success, undefined when it has none (204), or the error that any other answer stands for. */
export function parseAnswer(
  { status, headers }: Head,
  text: string,
  baseUrl: string,
  attempts: number,
  trace: Trace,
): Body | StopwatchError {
  const dateMs = Date.parse(headers.get("date") as string);
  const serverMs = dateMs || Date.now();
  trace.serverMs = serverMs;
  if (status === 204) return undefined;
  let body: Body;
  try {
    body = JSON.parse(text);
  } catch {
    // Not JSON.
  }
  const isSuccess = /^2/.test(`${status}`);
  if (isSuccess && body && typeof body === "object") return body;
  let { code, message, details } = body?.error ?? {};
  if (typeof code !== "string" || !message) {
    code = "BAD_RESPONSE";
    // Some runtimes hide the status of a redirect, and where it leads.
    const problem =
      status < 400 && !isSuccess
        ? `redirects to ${/^https?:\/\/[^/?#@]+/.exec(headers.get("location") as string) ?? "elsewhere"}`
        : `answered ${status}, not as Stopwatch does`;
    message = `${baseUrl} ${problem}: is the base address right?`;
    details = [];
  }
  const fields = Array.isArray(details) ? (details as ErrorDetail[]) : [];
  if (dateMs && fields.some(({ path }) => path === "fireAt")) {
    const aheadS = Math.round((Date.now() - dateMs - 500) / 1000);
    message += ` (this machine's clock is ${Math.abs(aheadS)} s ${aheadS < 0 ? "behind" : "ahead"})`;
  }
  const after = headers.get("retry-after") as string;
  // Seconds or a date (RFC 9110, 10.2.3).
  const afterMs = /^\d+$/.test(after) ? +after * 1000 : Date.parse(after) - serverMs;
  return new StopwatchError(code as string, message as string, {
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    details: fields,
    retryAfterMs: afterMs >= 0 ? afterMs : undefined,
    attempts,
  });
}
