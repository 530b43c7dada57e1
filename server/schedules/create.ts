import { readMonth } from "#db/queries/accounts/usage.ts";
import { type Creation, type CreationLimits, createSchedule, type NewSchedule } from "#db/queries/schedules/create.ts";
import { AppError, Unauthorized } from "#domain/errors.ts";
import { formatInstant } from "#domain/instant.ts";
import { quotaOf } from "#domain/quota.ts";
import { requestHash } from "#domain/request-hash.ts";
import { packRequest } from "#domain/sealed-request.ts";
import { validateTarget } from "#domain/target-url.ts";
import { StaleCredential } from "../auth/cached-credentials.ts";
import type { Ctx } from "../context.ts";
import { changeAtOnce } from "./change-at-once.ts";
import type { CreateInput } from "./create-input.ts";
import { creationLimits, NO_HASH, prepareSchedule, type ScheduleRequest } from "./prepare.ts";
import { notInFuture, type ReadTime, readTime } from "./time-input.ts";

/** `clockChange` tells how the clocks change at a given local time; undefined without one. */
export type CreatedSchedule = Extract<Creation, { outcome: "created" | "replayed" }> & Pick<ReadTime, "clockChange">;

/**
 * Stores one schedule, or returns the existing one with its idempotency key. Checks in this order: known key, time,
 * target, size, quota. Throws VALIDATION, PAYLOAD_TOO_LARGE or QUOTA_EXCEEDED; nothing is stored then.
 */
export async function createOne(ctx: Ctx, input: CreateInput): Promise<CreatedSchedule> {
  return store(ctx, scheduleRequest(ctx, input));
}

/** The schedule that a create request describes, with packed content and request hash. */
export function scheduleRequest(ctx: Ctx, input: CreateInput): ScheduleRequest {
  const { targetUrl, method, headers } = input;
  const time = readTime(input);
  const target = validateTarget(targetUrl, ctx.config.targetPolicy, ctx.tenant.env);
  const payload = input.payload ?? null;
  const earlyFire = input.earlyFire ?? null;
  const idempotencyKey = input.idempotencyKey ?? null;
  const original = { targetUrl, method, time: time?.given ?? null, headers, payload, earlyFire };
  const deliveredUrl = target.ok ? target.url : null;
  return {
    target,
    method,
    time,
    earlyFire,
    packed: packRequest({ headers, payload }),
    payloadSizeBytes: Buffer.byteLength(payload ?? ""),
    idempotencyKey,
    requestHash: idempotencyKey === null ? NO_HASH : requestHash(ctx.requestHashKey, original, deliveredUrl),
    replayOf: null,
    precheckError: time?.refusal,
  };
}

/**
 * Stores a schedule by one statement, or by `create`. Throws what `createOne` throws, and `request.precheckError`.
 */
export async function store(
  ctx: Ctx,
  request: ScheduleRequest,
  create = (limits: CreationLimits, schedule: NewSchedule): Promise<Creation> =>
    changeAtOnce(ctx, ({ sql }) => createSchedule(sql, ctx.tenant, limits, schedule)),
): Promise<CreatedSchedule> {
  const { schedule, rejection } = prepareSchedule(ctx, request);
  const creation = await create(creationLimits(ctx), schedule);
  switch (creation.outcome) {
    case "created":
    case "replayed":
      return { ...creation, ...clockChangeOf(request) };
    case "inactive":
      throw new Unauthorized();
    case "stale":
      throw new StaleCredential();
    case "past":
      throw notInFuture(request.time?.name ?? "fireAt");
    case "rejected":
      throw rejection ?? new Error("the database returned a rejection that was not requested");
    case "quota":
      throw await quotaExceeded(ctx);
  }
}

/** Present where a local time was given. */
export function clockChangeOf({ time }: Pick<ScheduleRequest, "time">): Pick<ReadTime, "clockChange"> {
  return time?.clockChange === undefined ? {} : { clockChange: time.clockChange };
}

/** QUOTA_EXCEEDED with this month's count, the limit, and when the next month begins. */
export async function quotaExceeded(ctx: Ctx): Promise<AppError> {
  const { limit, graceLimit } = quotaOf(ctx.limits, ctx.tenant.env);
  const { scheduled, nextMonthMs } = await ctx.query(({ sql }) => readMonth(sql, ctx.tenant));
  const grace = graceLimit > limit ? `, ${graceLimit} with its grace` : "";
  return new AppError(
    "QUOTA_EXCEEDED",
    `${scheduled} ${ctx.tenant.env} schedules were created this month, and the plan allows ${limit}${grace}. The next month begins at ${formatInstant(nextMonthMs)}.`,
  );
}
