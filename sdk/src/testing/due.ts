import type { Account, Stored } from "./account.ts";
import { runOperations } from "./operations.ts";
import { isLeftOut, stepFirst } from "./recurrences.ts";

type Due = Stored & { nextMs: number };

/** The schedule that is due first, until an instant, once recurrences have made what is to exist by then. */
export function nextDue(account: Account, untilMs: number): Due | undefined {
  runOperations(account);
  for (;;) {
    const first = findDue(account, untilMs);
    if (stepFirst(account, first?.nextMs ?? untilMs)) continue;
    if (!first?.isHeld) return first;
    const atMs = Math.max(account.nowMs, first.nextMs);
    if (!isLeftOut(account, first, atMs)) return first;
  }
}

/** When the next attempt or recurrence is due, epoch ms; Infinity when none is. */
export function nextInstant({ schedules, recurrences }: Account): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const one of schedules.values()) if (one.status !== "firing") nextMs = Math.min(nextMs, one.nextMs ?? nextMs);
  for (const one of recurrences.values()) nextMs = Math.min(nextMs, one.nextStepMs ?? nextMs);
  return nextMs;
}

/** The schedule that is due first, until an instant; of several the one that was created first. */
function findDue(account: Account, untilMs: number): Due | undefined {
  let first: Due | undefined;
  for (const schedule of account.schedules.values()) {
    const { nextMs, status } = schedule;
    if (nextMs !== null && status !== "firing" && nextMs <= untilMs && (!first || nextMs < first.nextMs))
      first = schedule as Due;
  }
  return first;
}
