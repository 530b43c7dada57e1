import type { FetchLike } from "./client/call.ts";
import { REFUSAL, readDevelopment } from "./development.ts";
import type { ErrorDetail, StopwatchError, StopwatchErrorOptions } from "./error.ts";
import { INSTALLATION_URL } from "./installation.ts";
import type { Bytes } from "./signatures/body.ts";
import type { DeliveryHeaders } from "./signatures/sign-delivery.ts";
import type { RescheduleInput, Schedule } from "./types.ts";

// What is needed only when something is wrong, in development or in tests. `import()` loads it, so that a bundle does not begin
// with it; it must import no class, because it is a file of its own beside each entry.

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

/**
 * The wait before the try that follows a failed one, ms; Infinity when none may follow. `isUnsafe`: only if the failed one was
 * certainly not carried out. Notes in `trace` when that is unknown.
 */
export function waitAfter(
  { status = NO_ANSWER, retryAfterMs = 0 }: StopwatchError,
  attempt: number,
  isUnsafe: boolean | undefined,
  trace: { isLost?: boolean },
): number {
  if (status < 300 || status === 408 || status >= 500) trace.isLost = true;
  const isRetried = isUnsafe ? status === 429 : [NO_ANSWER, 408, 429, 500, 502, 503, 504].includes(status);
  if (!isRetried) return Infinity;
  return Math.max(retryAfterMs, Math.min(8_000, 250 * 2 ** attempt) * (1 - Math.random() / 2));
}

const NO_ANSWER = -1;

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

const ALLOW =
  "an installation of your own allows such targets by DELIVERY_ALLOW; STOPWATCH_DEV=1 delivers to localhost without one";
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

/** Whether a schedule was fired at or after `fromMs`. A first attempt is moved to now; a retry leaves `fire_at` as it is. */
export function isFired({ status, attempts, fire_at, updated_at }: Schedule, fromMs: number): boolean {
  return status !== "cancelled" && Date.parse(attempts > 1 ? updated_at : fire_at) >= fromMs;
}

const UNITS_MS = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/** Calls the development fake of `./testing`. Where that cannot be loaded it answers with an error that says so. */
export const fetchFake: FetchLike = async (url, init) => {
  let fake: Testing;
  try {
    fake = loadTesting();
  } catch (error) {
    const message = `STOPWATCH_DEV needs ${TESTING}, which cannot be loaded here: ${(error as Error).message}`;
    const doc_url = `${INSTALLATION_URL ?? ""}/docs/local-development`;
    const text = JSON.stringify({ error: { code: "INVALID_ARGUMENT", message, doc_url } });
    return { status: 501, headers: new Headers(), text: async () => text };
  }
  // Pages that its errors name are those of the installation.
  return fake.developmentFetch(INSTALLATION_URL ? url.replace(/^https:..[^/]+/, INSTALLATION_URL) : url, init);
};

const TESTING = "stopwatch-sdk/testing";

type Testing = { developmentFetch: FetchLike };

type Process = {
  argv: string[];
  cwd(): string;
  getBuiltinModule(name: string): { createRequire(from: string): (name: string) => Testing };
};

/**
 * Loads the entry for tests from where the program is, else from the current folder. An `import()` will not do: bundlers put all
 * of the fake into a production's bundle, and some refuse an `import()` whose name they cannot read.
 */
function loadTesting(): Testing {
  const { process } = globalThis as unknown as { process: Process };
  const { createRequire } = process.getBuiltinModule("module");
  try {
    return createRequire(process.argv[1] as string)(TESTING);
  } catch {
    return createRequire(`${process.cwd()}/`)(TESTING);
  }
}

/** What the development fake signs with: 32 bytes that all are 1. Everybody knows it, so that no production accepts it. */
const DEVELOPMENT_SECRET = "whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";

/** The secrets that a receiver tries where STOPWATCH_DEV is set: in development each that is not set is the fake's, and one more. */
export function secretsIn(
  secrets: readonly (string | undefined)[],
  invalid: (path: string, problem: string) => StopwatchError,
): readonly (string | undefined)[] {
  const isOn = readDevelopment();
  if (isOn === undefined) throw invalid("STOPWATCH_DEV", REFUSAL);
  // None at all is refused elsewhere, and so are more than eight.
  if (!isOn || !secrets?.length) return secrets;
  const all = secrets.length < 8 ? [...secrets, ""] : secrets;
  return all.map((secret) => secret || DEVELOPMENT_SECRET);
}

/** The headers of a delivery, from the keys of both signatures and the bytes of its body. */
export async function writeSigned(
  delivery: { scheduleId?: string | undefined; attempt?: number | undefined; at?: Date | number | undefined },
  webhookKey: Bytes,
  serviceKey: Bytes,
  body: Bytes,
): Promise<DeliveryHeaders> {
  const { scheduleId = `sch_${crypto.randomUUID()}`, attempt = 1, at = Date.now() } = delivery;
  const timestamp = `${Math.floor(+at / 1000)}`;
  const { subtle } = crypto;
  const sign = async (raw: Bytes, head: string) => {
    const content = await new Blob([head, body]).arrayBuffer();
    const key = await subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return new Uint8Array(await subtle.sign("HMAC", key, content));
  };
  const webhookMac = await sign(webhookKey, `${scheduleId}.${timestamp}.`);
  const serviceMac = await sign(serviceKey, `${timestamp}.`);
  const hex = Array.from(serviceMac, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return {
    "webhook-id": scheduleId,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${btoa(String.fromCharCode(...webhookMac))}`,
    "X-Service-Signature": `t=${timestamp},v1=${hex}`,
    "X-Service-Schedule-Id": scheduleId,
    "X-Service-Attempt": `${attempt}`,
    "X-Service-Fire-At": new Date(at).toISOString(),
  };
}
