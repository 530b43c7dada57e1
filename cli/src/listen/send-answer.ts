import { type Stopwatch, StopwatchError } from "../../../sdk/src/index.ts";
import { pauseUntil } from "../pause.ts";
import type { Answer } from "./answer-memory.ts";
import { backOffMs } from "./back-off.ts";

/** What became of an answer: recorded; too late for the service; or not sent, and why. */
export type Sent = "recorded" | "too late" | { problem: string };

/** An answer that could not be sent for this long counts no more, ms: an attempt ends after 30 s. */
const GIVE_UP_MS = 35_000;

/**
 * Sends an answer, again and again while the service cannot be reached or is busy: the same answer twice counts once. Ends
 * with the reason of `signal`, a Sent, when that is aborted. Throws the StopwatchError when the key is refused.
 */
export async function sendAnswer(
  client: Pick<Stopwatch, "request">,
  exchange: { id: string; listener: string; answer: Answer },
  signal: AbortSignal,
): Promise<Sent> {
  const { id, listener, answer } = exchange;
  const path = `/v1/listen/${encodeURIComponent(id)}/answer`;
  const giveUpAtMs = performance.now() + GIVE_UP_MS;
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      await client.request("POST", path, { body: { listener, ...answer } }, { signal, maxRetries: 0 });
      return "recorded";
    } catch (error) {
      if (signal.aborted) break;
      if (!StopwatchError.is(error)) throw error;
      const { status = 0, retryAfterMs } = error;
      if (status === 401 || status === 403) throw error;
      if (status === 404 || status === 409) return "too late";
      const isPassing = status === 0 || status === 408 || status === 429 || status >= 500;
      const waitMs = backOffMs(failures, Math.random(), retryAfterMs);
      if (!isPassing || performance.now() + waitMs > giveUpAtMs) return { problem: error.message };
      await pauseUntil(waitMs, signal);
    }
  }
  return signal.reason;
}
