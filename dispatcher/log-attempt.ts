import type { Logger } from "pino";
import type { AttemptRecord } from "#db/queries/record-attempts.ts";
import { encodeId } from "#domain/ids.ts";
import type { Ended } from "./send.ts";

/**
 * Writes the one line about an attempt with a known outcome, at `info`: whose, which, how it ended and where the time
 * went, ms. Of the target its address without the query; nothing that was sent, and nothing that was answered.
 */
export function logAttempt(log: Logger, ended: Ended): void {
  if (!log.isLevelEnabled("info")) return;
  const { won, outcome, attemptedAtMs, finishedAtMs, connectMs, firstByteMs } = ended;
  const { claimed, planned, claimMs } = won;
  const startedAtMs = attemptedAtMs ?? Math.max(claimed.claimedAtMs, claimed.dueAtMs);
  log.info(
    {
      scheduleId: encodeId("sch", claimed.id),
      accountId: claimed.accountId,
      env: claimed.env,
      attempt: claimed.attempt,
      outcome: outcome.kind,
      ...("statusCode" in outcome && { status: outcome.statusCode }),
      ...("error" in outcome && { error: outcome.error }),
      method: claimed.method,
      target: withoutQuery(claimed.targetUrl),
      lateMs: rounded(startedAtMs - claimed.dueAtMs),
      claimMs: rounded(claimMs),
      waitMs: rounded(planned.waitMs),
      connectMs: rounded(connectMs),
      firstByteMs: rounded(firstByteMs),
      totalMs: attemptedAtMs === null ? 0 : rounded(finishedAtMs - attemptedAtMs),
    },
    "attempt",
  );
}

/** The line about an attempt that was lost with its dispatcher. */
export function logInterrupted(log: Logger, { scheduleId, attempt }: AttemptRecord): void {
  log.info({ scheduleId: encodeId("sch", scheduleId), attempt, outcome: "interrupted" }, "attempt");
}

function withoutQuery(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? url : url.slice(0, at);
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 1_000) / 1_000);
