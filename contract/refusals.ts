import type { CronRule } from "#domain/cron.ts";
import type { Environment } from "#domain/environment.ts";
import { AppError, DailyLimitReached } from "#domain/errors.ts";
import { formatInstant } from "#domain/instant.ts";
import { OPERATIONS_RUNNING_MAX } from "#domain/operations.ts";
import type { PlanLimits } from "#domain/plans.ts";
import { quotaOf } from "#domain/quota.ts";
import type { RecurrenceTimes } from "#domain/recurrence.ts";
import { presentNext } from "#domain/recurrence-next.ts";
import { recurrenceSpacing } from "#domain/recurrence-spacing.ts";
import { ROTATION_KEY_HOURS, ROTATION_KEYS_MAX } from "#domain/rotation-keys.ts";
import { ruleInWords } from "#domain/rule-in-words.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import type { TimeName } from "./inputs/time-input.ts";
import { invalid } from "./inputs/validate.ts";

/** The error for a target that is not allowed, for `reason` (TargetValidation). */
export function targetRejection(reason: string): AppError {
  return new AppError("VALIDATION", reason, {
    details: [{ path: "targetUrl", message: reason.replace(/^targetUrl /, "") }],
  });
}

/** PAYLOAD_TOO_LARGE, where a payload is. */
export function sizeRejection(bytes: number, { payloadBytesMax }: PlanLimits): AppError | null {
  if (bytes <= payloadBytesMax) return null;
  return new AppError("PAYLOAD_TOO_LARGE", `payload has ${bytes} bytes; this plan allows ${payloadBytesMax} bytes.`);
}

/** QUOTA_EXCEEDED with this month's count, the limit, and when the next month begins. */
export function quotaExceeded(
  limits: PlanLimits,
  env: Environment,
  { scheduled, nextMonthMs }: { scheduled: number; nextMonthMs: number },
): AppError {
  const { limit, graceLimit } = quotaOf(limits, env);
  const grace = graceLimit > limit ? `, ${graceLimit} with its grace` : "";
  return new AppError(
    "QUOTA_EXCEEDED",
    `${scheduled} ${env} schedules were created this month, and the plan allows ${limit}${grace}. The next month begins at ${formatInstant(nextMonthMs)}.`,
  );
}

/** CONFLICT of a key whose schedule has changed again and again meanwhile. */
export function keyContended(): AppError {
  return new AppError("CONFLICT", "The schedule with this key has changed meanwhile. Try again.", {
    headers: { "Retry-After": "1" },
  });
}

/**
 * The error of a schedule that would expire before its time: VALIDATION, and CONFLICT of a copy (`isCopied`), whose expiry is that
 * of another schedule.
 */
export function expiresTooEarly(isCopied = false): AppError {
  if (!isCopied) return invalid([{ path: "delivery.expiresAt", message: "must be after the time of the schedule" }]);
  return new AppError(
    "CONFLICT",
    "This schedule expires before the copy would be sent. A clone with its own delivery options is still possible.",
  );
}

/** VALIDATION of a move to a time at which the schedule has expired. */
export function expiresBefore(name: TimeName): AppError {
  return invalid([{ path: name, message: "must be before the schedule expires" }]);
}

/** VALIDATION of a rule that fires more often than the plan allows; null if it does not. */
export function spacingRejection(
  rule: CronRule,
  { recurrenceSpacingMsMin }: PlanLimits,
  nowMs: number,
): AppError | null {
  const { shortestMs } = recurrenceSpacing(rule, nowMs);
  if (shortestMs >= recurrenceSpacingMsMin) return null;
  const message = `fires ${shortestMs / 1_000} s apart (${ruleInWords(rule)}); this plan allows ${recurrenceSpacingMsMin / 1_000} s or more`;
  return invalid([{ path: "cron", message }]);
}

/** VALIDATION of a recurrence that ends before it fires at all; null if it does not. */
export function endRejection(times: RecurrenceTimes, now: { nowMs: number; shareMs: number }): AppError | null {
  if (times.endsAtMs === null || presentNext(times, { ...now, countMax: 1 }).length > 0) return null;
  const [first] = presentNext({ ...times, endsAtMs: null }, { ...now, countMax: 1 });
  const when = first ? `, ${first.fire_at} (${ruleInWords(times.rule)})` : "";
  return invalid([{ path: "endsAt", message: `is before the first time that it fires${when}` }]);
}

/** CONFLICT of one recurrence more than the plan has. */
export function tooManyRecurrences({ recurrencesMax }: PlanLimits, env: Environment): AppError {
  return new AppError(
    "CONFLICT",
    `There are ${recurrencesMax} recurrences in ${env}, as many as this plan has. Delete one, or change one by its key.`,
  );
}

export function recurrenceNotFound(): AppError {
  return new AppError("NOT_FOUND", "There is no recurrence with this key.");
}

export function recurrenceEnded(action: "paused" | "resumed"): AppError {
  return new AppError(
    "CONFLICT",
    `A recurrence that has ended cannot be ${action}. A PUT with another rule or endsAt begins it again.`,
  );
}

export function contentErased(): AppError {
  return new AppError(
    "CONFLICT",
    "The payload and headers of this schedule were erased at the end of the plan's retention window. A clone with its own headers is still possible.",
  );
}

/**
 * CONFLICT that names the status and, for a `firing` schedule, when its attempt ends at the latest (epoch ms); `Retry-After` says
 * the same in seconds, at least 1.
 */
export function statusConflict(
  action: "cancelled" | "rescheduled" | "fired" | "replaced",
  status: ScheduleStatus,
  attempt?: { endsAtMs: number; nowMs: number },
): AppError {
  const message = `A schedule that is ${status} cannot be ${action}.`;
  if (attempt === undefined) return new AppError("CONFLICT", message);
  const { endsAtMs, nowMs } = attempt;
  const advice = `An attempt is in progress and ends by ${formatInstant(endsAtMs)}: try again then.`;
  return new AppError("CONFLICT", `${message} ${advice}`, {
    headers: { "Retry-After": String(Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000))) },
  });
}

export function scheduleNotFound(by: "id" | "key" = "id"): AppError {
  return new AppError("NOT_FOUND", `There is no schedule with this ${by}.`);
}

export function tooManyRunning(): AppError {
  return new AppError(
    "CONFLICT",
    `${OPERATIONS_RUNNING_MAX} operations of this environment are running. Try again when one of them has ended.`,
  );
}

/** `waitS`: seconds until the next operation is allowed. */
export function tooManyToday({ operationsPerDay }: PlanLimits, waitS: number): DailyLimitReached {
  return new DailyLimitReached(
    `${operationsPerDay} operations of this environment were started within 24 hours.`,
    waitS,
  );
}

export function cannotBeStopped(status: string): AppError {
  return new AppError("CONFLICT", `An operation that is ${status} cannot be stopped.`);
}

/** `waitS`: seconds until the next rotation with a key is allowed. */
export function tooManyRotationKeys(waitS: number): DailyLimitReached {
  return new DailyLimitReached(
    `${ROTATION_KEYS_MAX} rotations of this environment had an Idempotency-Key within ${ROTATION_KEY_HOURS} hours.`,
    waitS,
  );
}

/** VALIDATION of a range of which no figures are kept. `path` is its bound. */
export function nothingKept({ retentionDays }: PlanLimits, path: "from" | "to"): AppError {
  return invalid([
    { path, message: `names a range outside of the last ${retentionDays} days, of which figures are kept` },
  ]);
}
