import { readRelaySettings } from "#db/queries/accounts/relay-settings.ts";
import { listAttemptsOfSchedule } from "#db/queries/attempts/list-of-schedule.ts";
import { readCopies } from "#db/queries/schedules/copies.ts";
import { findScheduleInFull } from "#db/queries/schedules/in-full.ts";
import { attemptsAhead } from "#domain/attempts-ahead.ts";
import { encodeId } from "#domain/ids.ts";
import { effectiveRelaySettings } from "#domain/relay-settings.ts";
import { actionProblems } from "#domain/schedule-actions.ts";
import type { Ctx } from "../context.ts";
import { isKeyOfForm } from "./form-key.ts";
import { scheduleIdOrThrow, scheduleNotFound } from "./get.ts";

/** Everything that a schedule's page shows at `now`: attempts, remaining attempts, possible actions. Throws NOT_FOUND. */
export async function readScheduleInFull(ctx: Ctx, textId: string, now: Date) {
  const id = scheduleIdOrThrow(textId);
  const { accountId } = ctx.tenant;
  const [row, attempts, saved, copies] = await ctx.query(({ db, sql }) =>
    Promise.all([
      findScheduleInFull(db, ctx.tenant, id),
      listAttemptsOfSchedule(db, ctx.tenant, id, ctx.limits.retentionDays),
      readRelaySettings(db, accountId),
      readCopies(sql, ctx.tenant, id),
    ]),
  );
  if (row === undefined) throw scheduleNotFound();
  const { claimDeadline, replayOf, idempotencyKey, erasedAt, sealedBytes, ...rest } = row;
  const isErased = erasedAt !== null;
  const nextAttemptAt = row.status === "firing" ? null : row.nextAttemptAt;
  return {
    ...rest,
    id: encodeId("sch", id),
    nextAttemptAt,
    replayOf: replayOf && encodeId("sch", replayOf),
    copies: { ...copies, newest: copies.newest.map((copy) => ({ ...copy, id: encodeId("sch", copy.id) })) },
    /** Null for a key that a form generated, which means nothing to the owner. */
    idempotencyKey: idempotencyKey !== null && isKeyOfForm(idempotencyKey) ? null : idempotencyKey,
    isErased,
    /** Payload, headers or both. */
    hasContent: sealedBytes > 0,
    attempts: attempts.map(({ lateMs, claimMs, waitMs, connectMs, firstByteMs, ...attempt }) => ({
      ...attempt,
      timing: { late: lateMs, claim: claimMs, wait: waitMs, connect: connectMs, firstByte: firstByteMs },
    })),
    attemptCount: row.attempts,
    ahead: attemptsAhead(
      { ...row, nextAttemptAtMs: nextAttemptAt?.getTime() ?? null },
      effectiveRelaySettings(saved, ctx.limits),
    ),
    problems: actionProblems(
      { status: row.status, claimDeadlineMs: claimDeadline?.getTime() ?? null, isErased },
      now.getTime(),
    ),
    retentionDays: ctx.limits.retentionDays,
  };
}
