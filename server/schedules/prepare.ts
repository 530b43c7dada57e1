import type { ReadTime } from "#contract/inputs/time-input.ts";
import { sizeRejection, targetRejection } from "#contract/refusals.ts";
import type { CreationLimits, NewSchedule } from "#db/queries/schedules/create.ts";
import type { AppError } from "#domain/errors.ts";
import { NOW } from "#domain/fire-time.ts";
import { newId } from "#domain/ids.ts";
import { quotaOf } from "#domain/quota.ts";
import { creatorOf } from "#domain/schedule-creator.ts";
import { sealRequest } from "#domain/sealed-request.ts";
import type { TargetValidation } from "#domain/target-url.ts";
import type { Ctx } from "../context.ts";

/**
 * A schedule to be stored, before its rejection is settled. `packed`: headers and payload, by `packRequest`. Without a
 * `time` it fires now.
 */
export type ScheduleRequest = Omit<NewSchedule, "id" | "fireTime" | "targetUrl" | "origin" | "sealed" | "rejection"> & {
  time: ReadTime | undefined;
  target: TargetValidation;
  packed: Buffer | null;
  /** Its delivery options are those of the schedule that it repeats. */
  isCopied?: boolean;
  /** A rejection that was found before target and size are checked. */
  precheckError?: AppError | undefined;
};

/**
 * The input of the create statement. The statement checks idempotency key and time first; only if those pass, `rejection`
 * applies.
 */
export type PreparedSchedule = { schedule: NewSchedule; rejection: AppError | null };

/** The hash of a request without an idempotency key. */
export const NO_HASH = Buffer.alloc(0);

/** Refuses what target or size forbid, and encrypts the content otherwise. `id`: the schedule's UUID, unless it is a new one. */
export function prepareSchedule(
  ctx: Pick<Ctx, "config" | "tenant" | "limits" | "onRefusedTarget">,
  { time, target, packed, precheckError, isCopied, ...rest }: ScheduleRequest,
  id = newId(Date.now()),
): PreparedSchedule {
  if (!target.ok && precheckError === undefined) {
    ctx.onRefusedTarget({ accountId: ctx.tenant.accountId, rule: target.rule });
  }
  const rejection =
    precheckError ?? (target.ok ? sizeRejection(rest.payloadSizeBytes, ctx.limits) : targetRejection(target.reason));
  // A rejected URL can be any text, NUL included, so it is not passed to the database.
  const to = { id, method: rest.method, targetUrl: target.ok ? target.url : "" };
  const schedule = {
    ...rest,
    ...to,
    fireTime: time?.fireTime ?? NOW,
    origin: target.ok ? target.origin : "",
    sealed:
      rejection === null && packed !== null ? sealRequest(ctx.config.keyRing, packed, { ...ctx.tenant, ...to }) : null,
    rejection: rejection?.code ?? null,
  };
  return { schedule, rejection };
}

/** Quota, early-fire default and creator for the create statement, and the cached key and plan that it must check. */
export function creationLimits({ limits, tenant, plan, credential, isCached }: Ctx): CreationLimits {
  const { limit, graceLimit } = quotaOf(limits, tenant.env);
  return {
    limit,
    graceLimit,
    earlyFire: limits.earlyFire,
    cached: isCached ? { keyId: credential.id, plan } : undefined,
    createdBy: creatorOf(credential),
  };
}
