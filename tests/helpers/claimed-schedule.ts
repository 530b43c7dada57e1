import type { ClaimedSchedule } from "#db/queries/schedules/claim.ts";

/** The row of a schedule as its first claim returns it, without custom headers and payload. */
export function claimedSchedule(overrides: Partial<ClaimedSchedule> = {}): ClaimedSchedule {
  return {
    id: "id",
    version: 2,
    accountId: "a",
    env: "live",
    attempt: 1,
    failures: 0,
    interruptions: 0,
    earlyFire: false,
    heldBack: false,
    isDueWhenAsked: false,
    fireAtMs: 0,
    dueAtMs: 0,
    claimedAtMs: 0,
    claimDeadlineMs: 35_000,
    method: "POST",
    targetUrl: "https://example.com/",
    sealed: null,
    currentSecret: "",
    formerSecret: null,
    plan: "indie",
    retryAttempts: null,
    retryBackoffMs: null,
    retryStrategy: null,
    delivery: null,
    ...overrides,
  };
}
