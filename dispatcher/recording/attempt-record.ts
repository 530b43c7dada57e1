import type { AttemptRecord } from "#db/queries/attempts/record.ts";
import type { ExpiredClaim } from "#db/queries/schedules/expired-claims.ts";
import { cleanErrorText } from "#domain/clean-error-text.ts";
import { retryPolicyOf } from "#domain/delivery-options.ts";
import type { Plans } from "#domain/plans.ts";
import { ON_TIME_WITHIN_MS, offsetBucket } from "#domain/punctuality.ts";
import { effectiveRelaySettings } from "#domain/relay-settings.ts";
import { type Settlement, settleAttempt } from "#domain/settle-attempt.ts";
import { type AttemptResult, claimOf, type Delivery } from "../delivery/delivery.ts";

/** The record of an attempt that ended with `result`. `random` draws the jitter of a retry. */
export function attemptRecord(
  delivery: Delivery,
  result: AttemptResult,
  plans: Plans,
  random: () => number,
): AttemptRecord {
  const { row, durationMs } = claimOf(delivery);
  const { outcome } = result;
  const startedAtMs = Math.max(row.claimedAtMs, row.dueAtMs);
  const attemptedAtMs = Math.floor(result.attemptedAtMs ?? startedAtMs);
  const offsetMs = attemptedAtMs - row.fireAtMs;
  return {
    scheduleId: row.id,
    version: row.version,
    attempt: row.attempt,
    outcome: outcome.kind,
    statusCode: "statusCode" in outcome ? outcome.statusCode : null,
    latencyMs: result.attemptedAtMs === null ? 0 : Math.max(0, Math.round(result.finishedAtMs - result.attemptedAtMs)),
    errorText: "error" in outcome ? cleanErrorText(outcome.error) : "",
    attemptedAtMs,
    timing: {
      lateMs: (result.attemptedAtMs ?? startedAtMs) - row.dueAtMs,
      claimMs: durationMs,
      waitMs: delivery.waitMs,
      connectMs: result.connectMs,
      firstByteMs: result.firstByteMs,
    },
    via: delivery.via,
    ...settlementOf(delivery, result, plans, random),
    offsetBucket: offsetBucket(offsetMs),
    onTime: offsetMs <= ON_TIME_WITHIN_MS,
    isPublic: result.attemptedAtMs !== null && delivery.waitMs === 0 && !row.heldBack,
  };
}

/** The record of an attempt whose lease ended without an outcome. */
export function interruptedRecord(claim: ExpiredClaim): AttemptRecord {
  const settled = settleAttempt({
    outcome: { kind: "interrupted" },
    failures: claim.failures,
    interruptions: claim.interruptions,
    retryPolicy: { retryAttempts: 0, retryBackoffMs: 0, retryStrategy: "fixed" },
    finishedAtMs: claim.claimDeadlineMs,
    random: () => 0,
    claimDeadlineMs: claim.claimDeadlineMs,
    expiresAtMs: claim.expiresAtMs ?? undefined,
  });
  return {
    scheduleId: claim.id,
    version: claim.version,
    attempt: claim.attempt,
    outcome: "interrupted",
    statusCode: null,
    latencyMs: 0,
    errorText: "interrupted: outcome unknown",
    attemptedAtMs: Math.max(claim.claimedAtMs, claim.dueAtMs),
    timing: { lateMs: null, claimMs: null, waitMs: null, connectMs: null, firstByteMs: null },
    via: null,
    ...inWholeMs(settled),
    offsetBucket: 0,
    onTime: false,
    isPublic: false,
  };
}

function settlementOf(
  delivery: Delivery,
  { outcome, finishedAtMs }: AttemptResult,
  plans: Plans,
  random: () => number,
): Settlement {
  const { row } = claimOf(delivery);
  const { retryAttempts, retryBackoffMs, retryStrategy, delivery: options } = row;
  const plan = plans[row.plan];
  const own = { cpsLimit: null, earlyFire: null, retryAttempts, retryBackoffMs, retryStrategy };
  const settled = settleAttempt({
    outcome,
    failures: row.failures,
    interruptions: row.interruptions,
    retryPolicy: retryPolicyOf(options, effectiveRelaySettings(own, plan), plan),
    giveUpStatuses: options?.giveUpStatuses,
    expiresAtMs: options?.expiresAtMs,
    finishedAtMs,
    random,
    claimDeadlineMs: row.claimDeadlineMs,
  });
  return inWholeMs(settled);
}

/** Rounded up, so that a retry is never early. */
const inWholeMs = (settled: Settlement): Settlement => ({
  ...settled,
  nextAttemptAtMs: settled.nextAttemptAtMs === null ? null : Math.ceil(settled.nextAttemptAtMs),
});
