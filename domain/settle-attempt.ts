import type { AttemptOutcome } from "./attempt-outcome.ts";
import { type GiveUpStatus, isGivenUp } from "./delivery-options.ts";
import type { EndReason } from "./end-reasons.ts";
import { nextRetryAtMs, type RetryPolicy } from "./retry.ts";

/** How an attempt ended, with what is known of it. `error` is a text of our own, `retryAfter` the target's headers. */
export type DeliveryOutcome = {
  [Kind in AttemptOutcome]: { kind: Kind } & OutcomeDetails[Kind];
}[AttemptOutcome];

type OutcomeDetails = {
  delivered: { statusCode: number; retryAfter?: readonly string[] };
  rejected: { statusCode: number; retryAfter?: readonly string[] };
  unreachable: { error: string };
  blocked: { error: string };
  interrupted: object;
};

export type AttemptToSettle = {
  outcome: DeliveryOutcome;
  /** Failures before this attempt; interruptions do not count. */
  failures: number;
  /** Interrupted attempts in a row before this one. */
  interruptions: number;
  /** The schedule's own, or the account's current effective settings. */
  retryPolicy: RetryPolicy;
  /** Answers that end the schedule at once; 410 where it says nothing else. */
  giveUpStatuses?: readonly GiveUpStatus[] | undefined;
  /** No attempt begins after it, epoch ms; undefined: there is no such instant. */
  expiresAtMs?: number | undefined;
  /** When the outcome became known, epoch ms; the wait before a retry starts here. */
  finishedAtMs: number;
  /** Returns a number in [0, 1), for the jitter. */
  random: () => number;
  /** When the claim's lease ends, epoch ms; an interrupted attempt may still be in progress until then. */
  claimDeadlineMs: number;
};

export type Settlement = {
  status: "succeeded" | "failed" | "dead";
  /** When the next attempt is due, epoch ms; null when there is none. */
  nextAttemptAtMs: number | null;
  failures: number;
  interruptions: number;
  /** Why it is dead; null while it is not. */
  endReason: EndReason | null;
};

/** The state of a schedule after an attempt: status, time of the next attempt, counts, and why it is dead. */
export function settleAttempt(attempt: AttemptToSettle): Settlement {
  const { outcome, failures } = attempt;
  switch (outcome.kind) {
    case "delivered":
      return { status: "succeeded", nextAttemptAtMs: null, failures, interruptions: 0, endReason: null };
    case "rejected":
      return isGivenUp(outcome.statusCode, attempt.giveUpStatuses)
        ? deadAfterFailure(failures, "status")
        : retryOrDead(attempt, outcome);
    case "unreachable":
      return retryOrDead(attempt, {});
    case "blocked":
      return deadAfterFailure(failures, "blocked");
    case "interrupted":
      return repeatOrDead(attempt);
  }
}

const INTERRUPTIONS_MAX = 3;

function retryOrDead(
  attempt: AttemptToSettle,
  answer: { statusCode?: number; retryAfter?: readonly string[] },
): Settlement {
  const { failures, retryPolicy, random, finishedAtMs } = attempt;
  const n = failures + 1;
  if (n > retryPolicy.retryAttempts) return deadAfterFailure(failures, "attempts");
  const nextAttemptAtMs = nextRetryAtMs({
    strategy: retryPolicy.retryStrategy,
    baseMs: retryPolicy.retryBackoffMs,
    delaysMs: retryPolicy.retryDelaysMs,
    n,
    random,
    nowMs: finishedAtMs,
    statusCode: answer.statusCode ?? null,
    retryAfter: answer.retryAfter,
  });
  if (isBeyond(nextAttemptAtMs, attempt)) return deadAfterFailure(failures, "expired");
  return { status: "failed", nextAttemptAtMs, failures: n, interruptions: 0, endReason: null };
}

/** Whether an attempt at this instant would begin after the schedule has expired. */
function isBeyond(nextAttemptAtMs: number, { expiresAtMs = Number.POSITIVE_INFINITY }: AttemptToSettle): boolean {
  return Math.ceil(nextAttemptAtMs) > expiresAtMs;
}

function deadAfterFailure(failures: number, endReason: EndReason): Settlement {
  return { status: "dead", nextAttemptAtMs: null, failures: failures + 1, interruptions: 0, endReason };
}

function repeatOrDead(attempt: AttemptToSettle): Settlement {
  const { failures, interruptions, claimDeadlineMs } = attempt;
  const counts = { failures, interruptions: interruptions + 1 };
  const dead = (endReason: EndReason): Settlement => ({ status: "dead", nextAttemptAtMs: null, ...counts, endReason });
  if (counts.interruptions >= INTERRUPTIONS_MAX) return dead("interrupted");
  if (isBeyond(claimDeadlineMs, attempt)) return dead("expired");
  return { status: "failed", nextAttemptAtMs: claimDeadlineMs, ...counts, endReason: null };
}
