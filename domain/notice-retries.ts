const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 15 * 60_000;
const HOUR_MS = 3_600_000;

/** The provider keeps idempotency keys for 24 hours: a retry after that could send a second mail. */
const DOUBT_MS_MAX = 23 * HOUR_MS;
/** Age after which an unsent notice is given up as outdated. */
const AGE_MS_MAX = 72 * HOUR_MS;

/**
 * When to retry a notice after `attempts` failed tries, epoch ms: exponential backoff from 5 s to 15 minutes plus up to
 * 25 % jitter, but not before the provider's `Retry-After`.
 */
export function noticeRetryAtMs(attempt: {
  attempts: number;
  nowMs: number;
  retryAfterMs: number;
  random: () => number;
}): number {
  const { attempts, nowMs, retryAfterMs, random } = attempt;
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS) * (1 + random() / 4);
  return Math.ceil(nowMs + Math.max(waitMs, retryAfterMs));
}

/** Whether to give a notice up: it is older than three days, or a retry could send a second mail. */
export function isNoticeTooOld(
  { createdAtMs, inDoubtSinceMs }: { createdAtMs: number; inDoubtSinceMs: number | null },
  nowMs: number,
): boolean {
  return nowMs - createdAtMs > AGE_MS_MAX || (inDoubtSinceMs !== null && nowMs - inDoubtSinceMs > DOUBT_MS_MAX);
}
