import type { ErrorDetail, StopwatchErrorOptions } from "./error.ts";
import type { RescheduleInput, Schedule } from "./types.ts";

// What is needed only when something is wrong. `import()` loads it, so that a bundle does not begin with it; it must import
// nothing but types, because it is a file of its own beside each entry.

type Head = { status: number; headers: { get(name: string): string | null } };
type Body = { error?: { code?: unknown; message?: unknown; doc_url?: unknown; details?: unknown } } | null | undefined;

/**
 * The error that an answer stands for, as the arguments of its constructor. `dateMs` is its Date header, epoch ms, or NaN;
 * `serverMs` the service's clock.
 */
export function explainAnswer(
  { status, headers }: Head,
  body: Body,
  baseUrl: string,
  attempts: number,
  dateMs: number,
  serverMs: number,
): [code: string, message: string, options: StopwatchErrorOptions] {
  const { code, message, doc_url: page, details } = body?.error ?? {};
  const after = headers.get("retry-after") as string;
  // Seconds or a date (RFC 9110, 10.2.3).
  const afterMs = /^\d+$/.test(after) ? +after * 1000 : Date.parse(after) - serverMs;
  const options = {
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfterMs: afterMs >= 0 ? afterMs : undefined,
    attempts,
  };
  if (typeof code !== "string" || !message) {
    // Some runtimes hide the status of a redirect, and where it leads.
    const problem =
      status < 400 && !(status >= 200 && status < 300)
        ? `redirects to ${/^https?:\/\/[^/?#@]+/.exec(headers.get("location") as string) ?? "elsewhere"}`
        : `answered ${status}, not as Stopwatch does`;
    return ["BAD_RESPONSE", `${baseUrl} ${problem}: is the base address right?`, options];
  }
  const fields = Array.isArray(details) ? (details as ErrorDetail[]) : [];
  // A service of an older version does not name it.
  const doc_url = typeof page === "string" ? page : `${baseUrl}/docs/errors#${code.toLowerCase()}`;
  return [code, message + hintOf(fields) + clockHint(fields, dateMs), { ...options, details: fields, doc_url }];
}

/** Whether a call whose answer was lost changed its schedule as asked. `read` reads it; `elapsedMs` is since the call began. */
export async function findChanged<T>(
  read: () => Promise<T>,
  isAsked: (value: T, fromMs: number, toMs: number) => boolean | Promise<boolean>,
  elapsedMs: () => number,
  trace: { serverMs?: number },
): Promise<T | undefined> {
  const found = await read().catch(() => undefined);
  const endMs = (trace.serverMs as number) + 1_000;
  return found && (await isAsked(found, endMs - elapsedMs() - 2_000, endMs)) ? found : undefined;
}

/** What to do about a refusal that a first call often meets. */
function hintOf(details: readonly ErrorDetail[]): string {
  const hints = details.flatMap(({ path, message }) => {
    const field = path.split(".").at(-1) as string;
    if (field === "targetUrl" && /an https:\/\/ URL|public host|port 80/.test(message)) return [ALLOW];
    if (message === "is unknown" && /^(max)?(retr(y|ies)|attempts|backoff)/i.test(field)) return [RETRIES];
    return [];
  });
  return hints[0] ? ` (${hints[0]})` : "";
}

const ALLOW = "an installation of your own allows such targets by DELIVERY_ALLOW; tests take stopwatch-sdk/testing";
const RETRIES = "how often deliveries are tried is a setting of the account: PATCH /v1/me/relay-settings";

function clockHint(details: readonly ErrorDetail[], dateMs: number): string {
  if (!dateMs || !details.some(({ path }) => path === "fireAt")) return "";
  const aheadS = Math.round((Date.now() - dateMs - 500) / 1000);
  return ` (this machine's clock is ${Math.abs(aheadS)} s ${aheadS < 0 ? "behind" : "ahead"})`;
}

/**
 * A new error that tells what `fetch` threw and why; the original may hold the request. Words of the sent text are left
 * out.
 */
export function causeOf(thrown: unknown, sent: string): Error {
  const { message, cause } = Object(thrown) as { message?: unknown; cause?: { message?: unknown; code?: unknown } };
  const text = [message, cause?.message, cause?.code].filter(Boolean).join(", ");
  return new Error(text.replace(/[\w.-]{6,}/g, (word) => (sent.includes(word) ? "..." : word)));
}

/**
 * Whether a schedule has the time that a PATCH asked for; the PATCH ran between the two times, epoch ms. False for a
 * local time, since only the service knows the zones.
 */
export function isMoved(
  input: RescheduleInput,
  { fire_at, early_fire }: Schedule,
  fromMs: number,
  toMs: number,
): boolean {
  const { fireAt, fireIn, fireAtLocal, earlyFire = early_fire } = input;
  const atMs = Date.parse(fire_at);
  if (earlyFire !== early_fire || fireAtLocal) return false;
  // The service rounds up to a millisecond, Date rounds down.
  if (fireAt) return [0, 1].includes(atMs - +new Date(fireAt));
  if (!fireIn) return true;
  let inMs = 0;
  // `1h30m` or `PT90M`. The service has accepted the form.
  for (const [, count, unit] of fireIn.toLowerCase().matchAll(/([\d.]+)([wdhms])/g))
    inMs += +(count as string) * UNITS_MS[unit as keyof typeof UNITS_MS];
  return atMs >= fromMs + inMs && atMs <= toMs + inMs;
}

const UNITS_MS = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };
