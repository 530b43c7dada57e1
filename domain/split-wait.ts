import { JITTER_MAX, type RetryPolicy, retryWaitMs } from "./retry.ts";

/** The wait before a retry, ms: what the settings ask for, and the jitter that was added. */
export type SplitWait = { plannedMs: number; jitterMs: number };

/**
 * Splits the wait between a failure and the next attempt (epoch ms), after which retry `failures` is due. Null when the
 * settings do not lead to such a wait: they were changed since, the target asked for a longer one, or the retry was moved.
 */
export function splitWait(
  { failedAtMs, nextAttemptAtMs, failures }: { failedAtMs: number; nextAttemptAtMs: number; failures: number },
  { retryBackoffMs: baseMs, retryStrategy: strategy, retryDelaysMs: delaysMs }: Omit<RetryPolicy, "retryAttempts">,
): SplitWait | null {
  if (failures < 1) return null;
  const plannedMs = retryWaitMs({ strategy, baseMs, delaysMs, n: failures, random: () => 0 });
  const jitterMs = nextAttemptAtMs - failedAtMs - plannedMs;
  if (jitterMs < 0 || jitterMs > plannedMs * JITTER_MAX + RECORDING_MS) return null;
  return { plannedMs, jitterMs: Math.min(jitterMs, plannedMs * JITTER_MAX) };
}

/** The wait begins when the outcome is settled, which is up to so long after the answer. */
const RECORDING_MS = 500;
