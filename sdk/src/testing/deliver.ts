import { cleanErrorText, TEXT_LENGTH_MAX } from "../../../domain/clean-error-text.ts";
import { retryPolicyOf } from "../../../domain/delivery-options.ts";
import { type DeliveryOutcome, settleAttempt } from "../../../domain/settle-attempt.ts";
import type { Account, Stored } from "./account.ts";
import type { DeliveryHandler, FakeDelivery } from "./public.ts";
import { signAttempt } from "./sign.ts";

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
  const startMs = account.nowMs;
  const at = new Date(startMs);
  const request = new Request(url, { method, headers: await headersOf(account, schedule), ...withBody(method, body) });
  const headers = Object.fromEntries(request.headers);
  const answer = await ask(handler, request);
  schedule.firedMs ??= startMs;
  schedule.updatedMs = account.nowMs;
  settle(account, schedule, answer, random);
  const isAnswered = answer.status !== null;
  schedule.log.push({
    ...{ attempt, status_code: answer.status, latency_ms: account.nowMs - startMs, error_text: answer.text },
    ...{ attempted_at: at.toISOString(), atMs: startMs },
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

/** Thrown by a handler for a request that got no answer, or was not sent. The message is the text of the attempt. */
export class Unanswered extends Error {
  readonly kind: "unreachable" | "blocked";

  constructor(kind: Unanswered["kind"], text: string) {
    super(text);
    this.kind = kind;
  }
}

type Answer = { retryAfter: string | null; text: string; error?: unknown } & (
  | { status: number }
  | { status: null; kind: Unanswered["kind"] }
);

async function ask(handler: DeliveryHandler, request: Request): Promise<Answer> {
  const nothing = { status: null, kind: "unreachable" as const, retryAfter: null };
  let response: Response;
  try {
    response = await handler(request);
    if (!(response instanceof Response)) throw new TypeError("onDelivery must return a Response");
  } catch (error) {
    if (error instanceof Unanswered) return { ...nothing, kind: error.kind, text: error.message };
    return { ...nothing, text: cleanErrorText(`the handler threw ${error}`), error };
  }
  const { status, headers } = response;
  // What Response.error() makes.
  if (status === 0) return { ...nothing, text: "the connection was closed without an answer" };
  const text = status >= 200 && status < 300 ? "" : await readStart(response);
  return { status, retryAfter: headers.get("retry-after"), text: cleanErrorText(text) };
}

/** The start of a body. "" when it breaks off: an answer counts by its status. */
async function readStart({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > 2 * TEXT_LENGTH_MAX) break;
    }
    return text + decoder.decode();
  } catch {
    return "";
  }
}

function settle({ nowMs, settings, limits }: Account, schedule: Stored, answer: Answer, random: () => number): void {
  const { delivery } = schedule;
  const { status, nextAttemptAtMs, failures, endReason } = settleAttempt({
    ...{ outcome: outcomeOf(answer), failures: schedule.failures, interruptions: 0 },
    retryPolicy: retryPolicyOf(delivery, settings.retries, limits),
    ...{ giveUpStatuses: delivery?.giveUpStatuses, expiresAtMs: delivery?.expiresAtMs },
    ...{ finishedAtMs: nowMs, random, claimDeadlineMs: nowMs },
  });
  Object.assign(schedule, { status, failures, endReason, nextMs: nextAttemptAtMs });
  if (nextAttemptAtMs === null) schedule.endedMs = nowMs;
}

function outcomeOf(answer: Answer): DeliveryOutcome {
  const { status, retryAfter, text } = answer;
  if (status === null) return { kind: answer.kind, error: text };
  const kind = status >= 200 && status < 300 ? "delivered" : "rejected";
  return { kind, statusCode: status, ...(retryAfter !== null && { retryAfter: [retryAfter] }) };
}
