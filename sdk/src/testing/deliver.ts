import type { Account, RetryRule, Stored } from "./account.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { signAttempt } from "./sign.ts";

/** One attempt and its outcome. */
export type FakeDelivery = {
  /** The schedule that was attempted. */
  readonly scheduleId: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** When it was attempted, by the fake's clock. */
  readonly at: Date;
  readonly method: string;
  readonly url: string;
  /** The headers of the request, names in lower case. */
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  /** The status of the answer; null when there was none. */
  readonly status: number | null;
  /** What the handler threw, if it did. */
  readonly error: unknown;
  /** The status of the schedule after the attempt. */
  readonly outcome: "succeeded" | "failed" | "dead";
  /** When the next attempt is due; null when none follows. */
  readonly nextAttemptAt: Date | null;
};

/** Handles a delivery in place of its target. */
export type DeliveryHandler = (request: Request) => Response | Promise<Response>;

/** Attempts a schedule now: calls `handler` with its signed request, and settles the schedule by the answer. */
export async function deliver(
  account: Account,
  schedule: Stored,
  handler: DeliveryHandler,
  random: () => number,
): Promise<FakeDelivery> {
  const { id: scheduleId, targetUrl: url, method, payload: body } = schedule;
  Object.assign(schedule, { status: "firing", attempts: schedule.attempts + 1 });
  const attempt = schedule.attempts;
  const at = new Date(account.nowMs);
  const request = new Request(url, { method, headers: await headersOf(account, schedule), ...withBody(method, body) });
  const headers = Object.fromEntries(request.headers);
  const answer = await ask(handler, request);
  schedule.firedMs ??= account.nowMs;
  schedule.updatedMs = account.nowMs;
  settle(account, schedule, answer, random);
  const isAnswered = answer.status !== null;
  schedule.log.push({
    ...{ attempt, status_code: answer.status, latency_ms: 0, error_text: answer.text },
    ...{ attempted_at: at.toISOString(), atMs: account.nowMs },
    via: null,
    timing: { late: 0, claim: 0, wait: 0, connect: null, first_byte: isAnswered ? 0 : null },
  });
  const { nextMs } = schedule;
  return {
    ...{ scheduleId, attempt, at, method, url, headers, body, status: answer.status, error: answer.error },
    outcome: schedule.status as FakeDelivery["outcome"],
    nextAttemptAt: nextMs === null ? null : new Date(nextMs),
  };
}

async function headersOf(account: Account, schedule: Stored): Promise<{ [name: string]: string }> {
  const custom = schedule.headers.map(([name, value]) => [name.toLowerCase(), value]);
  return {
    "user-agent": "Stopwatch/fake",
    ...Object.fromEntries(custom),
    ...(await signAttempt(account, schedule)),
  };
}

/** Bytes, since a text would come with a Content-Type. A `Request` with GET has no body. */
function withBody(method: string, body: string): { body?: Uint8Array<ArrayBuffer> } {
  return body && method !== "GET" ? { body: new TextEncoder().encode(body) } : {};
}

type Answer = { status: number | null; retryAfter: string | null; text: string; error?: unknown };

async function ask(handler: DeliveryHandler, request: Request): Promise<Answer> {
  const nothing = { status: null, retryAfter: null };
  let response: Response;
  try {
    response = await handler(request);
    if (!(response instanceof Response)) throw new TypeError("onDelivery must return a Response");
  } catch (error) {
    return { ...nothing, text: clean(`the handler threw ${error}`), error };
  }
  const { status, headers } = response;
  // What Response.error() makes.
  if (status === 0) return { ...nothing, text: "the connection was closed without an answer" };
  // An answer counts by its status, also when its body breaks off.
  const text = status >= 200 && status < 300 ? "" : await response.text().catch(() => "");
  return { status, retryAfter: headers.get("retry-after"), text: clean(text) };
}

function settle(account: Account, schedule: Stored, answer: Answer, random: () => number): void {
  const { status, retryAfter } = answer;
  const { nowMs, settings } = account;
  const end = (how: "succeeded" | "dead") => Object.assign(schedule, { status: how, nextMs: null, endedMs: nowMs });
  if (status !== null && status >= 200 && status < 300) return void end("succeeded");
  const n = ++schedule.failures;
  if (status === 410 || n > settings.retries.retryAttempts) return void end("dead");
  const nextMs = nextRetryMs(settings.retries, n, { status, retryAfter, nowMs, random });
  Object.assign(schedule, { status: "failed", nextMs });
}

/** When the n-th retry is due, after a failure at `nowMs`. */
export function nextRetryMs(
  { retryBackoffMs, retryStrategy }: RetryRule,
  n: number,
  failure: { status: number | null; retryAfter: string | null; nowMs: number; random: () => number },
): number {
  const { status, retryAfter, nowMs, random } = failure;
  const factor = { fixed: 1, linear: n, exponential: 2 ** (n - 1) }[retryStrategy];
  const waitMs = Math.floor(Math.min(retryBackoffMs * factor, 3_600_000) * (1 + 0.25 * random()));
  const askedMs = status === 429 || status === 503 ? parseRetryAfter(retryAfter, nowMs) : null;
  return nowMs + Math.ceil(Math.min(Math.max(waitMs, askedMs ?? 0), waitMs + 7_200_000));
}

/** The first 1,024 characters of a text, as they can be stored. */
export function clean(text: string): string {
  return [...text.slice(0, 2048).replace(/[\0\p{Surrogate}]/gu, "\uFFFD")].slice(0, 1024).join("");
}
