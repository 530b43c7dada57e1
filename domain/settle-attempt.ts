import type { AttemptOutcome } from "./attempt-outcome.ts";
import { nextRetryAtMs, type RetryStrategy } from "./retry.ts";

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
  /** The account's current effective settings. */
  retryPolicy: { retryAttempts: number; retryBackoffMs: number; retryStrategy: RetryStrategy };
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
};

/** The state of a schedule after an attempt: status, time of the next attempt, and counts. */
export function settleAttempt(attempt: AttemptToSettle): Settlement {
  const { outcome, failures } = attempt;
  switch (outcome.kind) {
    case "delivered":
      return { status: "succeeded", nextAttemptAtMs: null, failures, interruptions: 0 };
    case "rejected":
      return outcome.statusCode === GONE ? deadAfterFailure(failures) : retryOrDead(attempt, outcome);
    case "unreachable":
      return retryOrDead(attempt, {});
    case "blocked":
      return deadAfterFailure(failures);
    case "interrupted":
      return repeatOrDead(attempt);
  }
}

const GONE = 410;
const INTERRUPTIONS_MAX = 3;

function retryOrDead(
  attempt: AttemptToSettle,
  answer: { statusCode?: number; retryAfter?: readonly string[] },
): Settlement {
  const { failures, retryPolicy, random, finishedAtMs } = attempt;
  const n = failures + 1;
  if (n > retryPolicy.retryAttempts) return deadAfterFailure(failures);
  const nextAttemptAtMs = nextRetryAtMs({
    strategy: retryPolicy.retryStrategy,
    baseMs: retryPolicy.retryBackoffMs,
    n,
    random,
    nowMs: finishedAtMs,
    statusCode: answer.statusCode ?? null,
    retryAfter: answer.retryAfter,
  });
  return { status: "failed", nextAttemptAtMs, failures: n, interruptions: 0 };
}

function deadAfterFailure(failures: number): Settlement {
  return { status: "dead", nextAttemptAtMs: null, failures: failures + 1, interruptions: 0 };
}

function repeatOrDead({ failures, interruptions, claimDeadlineMs }: AttemptToSettle): Settlement {
  const inARow = interruptions + 1;
  return inARow >= INTERRUPTIONS_MAX
    ? { status: "dead", nextAttemptAtMs: null, failures, interruptions: inARow }
    : { status: "failed", nextAttemptAtMs: claimDeadlineMs, failures, interruptions: inARow };
}
