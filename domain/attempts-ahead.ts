import { type RetryPolicy, retryWaitMs } from "./retry.ts";
import type { ScheduleStatus } from "./states.ts";

export type AttemptsAhead = {
  /**
   * The maximum number of attempts under the current retry policy, past ones included; null once the schedule has
   * ended.
   */
  total: number | null;
  /** The earliest time of the last attempt (epoch ms); jitter can delay it by a quarter. Null when none is due. */
  lastAtMs: number | null;
};

/**
 * The attempts that remain if every one fails. `attempts` counts those started, `failures` those with a known outcome,
 * which use up retries; `nextAttemptAtMs` is when the next one is due (epoch ms).
 */
export function attemptsAhead(
  schedule: { status: ScheduleStatus; attempts: number; failures: number; nextAttemptAtMs: number | null },
  { retryAttempts, retryBackoffMs: baseMs, retryStrategy: strategy, retryDelaysMs: delaysMs }: RetryPolicy,
): AttemptsAhead {
  const { status, attempts, failures, nextAttemptAtMs } = schedule;
  if (status === "firing") return { total: attempts + Math.max(0, retryAttempts - failures), lastAtMs: null };
  if (status !== "scheduled" && status !== "failed") return { total: null, lastAtMs: null };
  // An attempt that is already due is made even if the policy now allows fewer.
  const left = Math.max(1, retryAttempts + 1 - failures);
  const waits = Array.from({ length: left - 1 }, (_, at) =>
    retryWaitMs({ strategy, baseMs, delaysMs, n: failures + 1 + at, random: () => 0 }),
  );
  const lastAtMs = nextAttemptAtMs === null ? null : waits.reduce((sum, wait) => sum + wait, nextAttemptAtMs);
  return { total: attempts + left, lastAtMs };
}
