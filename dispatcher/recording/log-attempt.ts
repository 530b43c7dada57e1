import type { Logger } from "pino";
import type { AttemptRecord } from "#db/queries/attempts/record.ts";
import { encodeId } from "#domain/ids.ts";
import { type AttemptResult, claimOf, type Delivery } from "../delivery/delivery.ts";

/**
 * Logs an attempt with a known outcome, one line at `info`: account, schedule, how it ended and where the time went,
 * ms. Of the target it has the address without the query. It contains nothing that was sent or answered.
 */
export function logAttempt(log: Logger, delivery: Delivery, result: AttemptResult): void {
  if (!log.isLevelEnabled("info")) return;
  const { outcome, attemptedAtMs, finishedAtMs, connectMs, firstByteMs } = result;
  const { row, durationMs } = claimOf(delivery);
  const startedAtMs = attemptedAtMs ?? Math.max(row.claimedAtMs, row.dueAtMs);
  log.info(
    {
      scheduleId: encodeId("sch", row.id),
      accountId: row.accountId,
      env: row.env,
      attempt: row.attempt,
      outcome: outcome.kind,
      ...("statusCode" in outcome && { status: outcome.statusCode }),
      ...("error" in outcome && { error: outcome.error }),
      ...(delivery.via && { via: delivery.via }),
      method: row.method,
      target: withoutQuery(row.targetUrl),
      lateMs: rounded(startedAtMs - row.dueAtMs),
      claimMs: rounded(durationMs),
      waitMs: rounded(delivery.waitMs),
      connectMs: rounded(connectMs),
      firstByteMs: rounded(firstByteMs),
      totalMs: attemptedAtMs === null ? 0 : rounded(finishedAtMs - attemptedAtMs),
    },
    "attempt",
  );
}

/** Logs an attempt that was lost with its dispatcher. */
export function logInterrupted(log: Logger, { scheduleId, attempt }: AttemptRecord): void {
  log.info({ scheduleId: encodeId("sch", scheduleId), attempt, outcome: "interrupted" }, "attempt");
}

function withoutQuery(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? url : url.slice(0, at);
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 1_000) / 1_000);
