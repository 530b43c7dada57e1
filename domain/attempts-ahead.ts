import { type RetryStrategy, retryWaitMs } from "./retry.ts";
import type { ScheduleStatus } from "./states.ts";

type RetryPolicy = { retryAttempts: number; retryBackoffMs: number; retryStrategy: RetryStrategy };

export type AttemptsAhead = {
  /** How many attempts there are at most, those made included, with the retry policy of now; null once the schedule has ended. */
  total: number | null;
  /** When the last of them is made at the earliest (epoch ms), as retries wait up to a quarter longer; null when none is due. */
  lastAtMs: number | null;
};

/**
 * What is ahead of a schedule when every attempt fails. `attempts` are those started, `failures` those with a known
 * outcome, which use up retries; `nextAttemptAtMs` is when the next one is due (epoch ms).
 */
export function attemptsAhead(
  schedule: { status: ScheduleStatus; attempts: number; failures: number; nextAttemptAtMs: number | null },
  { retryAttempts, retryBackoffMs, retryStrategy }: RetryPolicy,
): AttemptsAhead {
  const { status, attempts, failures, nextAttemptAtMs } = schedule;
  if (status === "firing") return { total: attempts + Math.max(0, retryAttempts - failures), lastAtMs: null };
  if (status !== "scheduled" && status !== "failed") return { total: null, lastAtMs: null };
  // One that is due is made, also when the policy has meanwhile come to allow fewer.
  const left = Math.max(1, retryAttempts + 1 - failures);
  const waits = Array.from({ length: left - 1 }, (_, at) =>
    retryWaitMs({ strategy: retryStrategy, baseMs: retryBackoffMs, n: failures + 1 + at, random: () => 0 }),
  );
  const lastAtMs = nextAttemptAtMs === null ? null : waits.reduce((sum, wait) => sum + wait, nextAttemptAtMs);
  return { total: attempts + left, lastAtMs };
}
