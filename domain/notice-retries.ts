const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 15 * 60_000;
const HOUR_MS = 3_600_000;

/** The provider remembers the key of a mail for 24 hours: a repeat after that would be a second mail. */
const DOUBT_MS_MAX = 23 * HOUR_MS;
/** A notice that was refused for so long says nothing new any more. */
const AGE_MS_MAX = 72 * HOUR_MS;

/**
 * When a notice is tried again after its `attempts`th try failed, epoch ms: after 5 s, twice as long each time, 15 minutes
 * at most and up to a quarter longer, and not before the provider wants to be asked again.
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

/** Whether a notice is to be given up: it was made three days ago, or the next try might be a second mail. */
export function isNoticeTooOld(
  { createdAtMs, inDoubtSinceMs }: { createdAtMs: number; inDoubtSinceMs: number | null },
  nowMs: number,
): boolean {
  return nowMs - createdAtMs > AGE_MS_MAX || (inDoubtSinceMs !== null && nowMs - inDoubtSinceMs > DOUBT_MS_MAX);
}
