import { scheduleNotFound } from "#contract/refusals.ts";
import { readRelaySettings } from "#db/queries/accounts/relay-settings.ts";
import { listAttemptsOfSchedule } from "#db/queries/attempts/list-of-schedule.ts";
import { readCopies } from "#db/queries/schedules/copies.ts";
import { type FullScheduleRow, findScheduleInFull } from "#db/queries/schedules/in-full.ts";
import { apiKeyPrefix } from "#domain/api-key.ts";
import { attemptsAhead } from "#domain/attempts-ahead.ts";
import { retryPolicyOf } from "#domain/delivery-options.ts";
import type { Environment } from "#domain/environment.ts";
import { encodeId } from "#domain/ids.ts";
import { effectiveRelaySettings } from "#domain/relay-settings.ts";
import { actionProblems } from "#domain/schedule-actions.ts";
import { type ScheduleCreator, SESSION_CREATOR } from "#domain/schedule-creator.ts";
import { type SplitWait, splitWait } from "#domain/split-wait.ts";
import type { Ctx } from "../context.ts";
import { isKeyOfForm } from "./form-key.ts";
import { scheduleIdOrThrow } from "./get.ts";

/** Everything that a schedule's page shows at `now`: attempts, remaining attempts, possible actions. Throws NOT_FOUND. */
export async function readScheduleInFull(ctx: Ctx, textId: string, now: Date) {
  const id = scheduleIdOrThrow(textId);
  const { accountId } = ctx.tenant;
  const [row, kept, saved, copies] = await ctx.query(async ({ db, sql }) => {
    // After the row: each attempt that it counts is there by then.
    const found = await findScheduleInFull(db, ctx.tenant, id);
    if (found === undefined) throw scheduleNotFound();
    return Promise.all([
      found,
      listAttemptsOfSchedule(db, ctx.tenant, id, ctx.limits.retentionDays),
      readRelaySettings(db, accountId),
      readCopies(sql, ctx.tenant, id),
    ]);
  });
  // Without those that were recorded since. The attempt of a claim is counted before it is recorded.
  const recorded = row.status === "firing" ? row.attempts - 1 : row.attempts;
  const attempts = kept.filter(({ attempt }) => attempt <= recorded);
  const {
    claimDeadline,
    replayOf,
    operationId,
    idempotencyKey,
    erasedAt,
    sealedBytes,
    createdBy,
    creatingKey,
    ...rest
  } = row;
  const isErased = erasedAt !== null;
  const isGenerated = row.occurrenceAt !== null || (idempotencyKey !== null && isKeyOfForm(idempotencyKey));
  const nextAttemptAt = row.status === "firing" ? null : row.nextAttemptAt;
  const settings = retryPolicyOf(row.delivery, effectiveRelaySettings(saved, ctx.limits), ctx.limits);
  return {
    ...rest,
    id: encodeId("sch", id),
    nextAttemptAt,
    replayOf: replayOf && encodeId("sch", replayOf),
    operationId: operationId && encodeId("op", operationId),
    copies: { ...copies, newest: copies.newest.map((copy) => ({ ...copy, id: encodeId("sch", copy.id) })) },
    /** Null for a key that a form or a recurrence generated, which means nothing to the owner. */
    idempotencyKey: isGenerated ? null : idempotencyKey,
    /** Null for an operation's copy, and for a schedule from before its creator was recorded. */
    creator: createdBy === null ? null : creatorOf(createdBy, ctx.tenant.env, creatingKey),
    isErased,
    /** Payload, headers or both. */
    hasContent: sealedBytes > 0,
    attempts: attempts.map(({ lateMs, claimMs, waitMs, connectMs, firstByteMs, ...attempt }) => ({
      ...attempt,
      timing: { late: lateMs, claim: claimMs, wait: waitMs, connect: connectMs, firstByte: firstByteMs },
    })),
    attemptCount: row.attempts,
    ahead: attemptsAhead({ ...row, nextAttemptAtMs: nextAttemptAt?.getTime() ?? null }, settings),
    /** What the wait before the next retry consists of; null when none is due, or the settings do not lead to it. */
    retryWait: row.status === "failed" ? retryWaitOf(row, attempts.at(-1), settings) : null,
    problems: actionProblems(
      { status: row.status, claimDeadlineMs: claimDeadline?.getTime() ?? null, isErased },
      now.getTime(),
    ),
    retentionDays: ctx.limits.retentionDays,
  };
}

function retryWaitOf(
  { nextAttemptAt, failures }: FullScheduleRow,
  last: { attemptedAt: Date; latencyMs: number; errorText: string } | undefined,
  settings: Parameters<typeof splitWait>[1],
): SplitWait | null {
  if (nextAttemptAt === null || last === undefined || last.errorText.startsWith("interrupted:")) return null;
  const failedAtMs = last.attemptedAt.getTime() + last.latencyMs;
  return splitWait({ failedAtMs, nextAttemptAtMs: nextAttemptAt.getTime(), failures }, settings);
}

function creatorOf(id: string, env: Environment, key: FullScheduleRow["creatingKey"]): ScheduleCreator {
  if (id === SESSION_CREATOR) return { kind: "session" };
  if (key === null) return { kind: "deletedKey", id: encodeId("key", id) };
  const { name, last4, revokedAt } = key;
  return { kind: "key", name, prefix: apiKeyPrefix(env), last4, isRevoked: revokedAt !== null };
}
