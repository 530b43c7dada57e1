import { cleanErrorText } from "../../../domain/clean-error-text.ts";
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
    return { ...nothing, text: cleanErrorText(`the handler threw ${error}`), error };
  }
  const { status, headers } = response;
  // What Response.error() makes.
  if (status === 0) return { ...nothing, text: "the connection was closed without an answer" };
  // An answer counts by its status, also when its body breaks off.
  const text = status >= 200 && status < 300 ? "" : await response.text().catch(() => "");
  return { status, retryAfter: headers.get("retry-after"), text: cleanErrorText(text) };
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

function outcomeOf({ status, retryAfter, text }: Answer): DeliveryOutcome {
  if (status === null) return { kind: "unreachable", error: text };
  const kind = status >= 200 && status < 300 ? "delivered" : "rejected";
  return { kind, statusCode: status, ...(retryAfter !== null && { retryAfter: [retryAfter] }) };
}
