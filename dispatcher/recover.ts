import type { Connection as Database } from "#db/client.ts";
import { type ExpiredClaim, readExpiredClaims } from "#db/queries/expired-claims.ts";
import type { AttemptRecord } from "#db/queries/record-attempts.ts";
import { settleAttempt } from "#domain/settle-attempt.ts";

const ROWS_MAX = 500;
const DEADLINE_MS = 3_000;

/**
 * Attempts of this dispatcher's shards whose lease ran out without an outcome: their owner died, or was cut off. Nobody
 * knows whether the target was reached: each is recorded as interrupted and repeated. Never one whose outcome is held here.
 */
export function createRecovery(deps: {
  database: Database;
  owned: () => number[];
  isHeld: (scheduleId: string) => boolean;
  record: (record: AttemptRecord) => void;
}) {
  return {
    /** Hands expired attempts to the recorder; returns how many. */
    async runOnce(): Promise<number> {
      const owned = deps.owned();
      if (owned.length === 0) return 0;
      const expired = await deps.database.run(DEADLINE_MS, ({ sql }) => readExpiredClaims(sql, owned, ROWS_MAX));
      const lost = expired.filter(({ id }) => !deps.isHeld(id));
      for (const claim of lost) deps.record(interruptedRecord(claim));
      return lost.length;
    },
  };
}

function interruptedRecord(claim: ExpiredClaim): AttemptRecord {
  const settled = settleAttempt({
    outcome: { kind: "interrupted" },
    failures: claim.failures,
    interruptions: claim.interruptions,
    knobs: { retryAttempts: 0, retryBackoffMs: 0, retryStrategy: "fixed" },
    finishedAtMs: claim.claimDeadlineMs,
    random: () => 0,
    claimDeadlineMs: claim.claimDeadlineMs,
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
    ...settled,
    nextAttemptAtMs: settled.nextAttemptAtMs === null ? null : Math.ceil(settled.nextAttemptAtMs),
    offsetBucket: 0,
    onTime: false,
    isPublic: false,
  };
}
