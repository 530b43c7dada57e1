import type { CreateInput } from "#contract/inputs/create-input.ts";
import { delaysRejection } from "#contract/inputs/delivery-input.ts";
import { notInFuture, type ReadTime, readTime } from "#contract/inputs/time-input.ts";
import { expiresTooEarly, quotaExceeded } from "#contract/refusals.ts";
import { readMonth } from "#db/queries/accounts/usage.ts";
import { type Creation, type CreationLimits, createSchedule, type NewSchedule } from "#db/queries/schedules/create.ts";
import { type AppError, Unauthorized } from "#domain/errors.ts";
import { optionsOf } from "#domain/request-fields.ts";
import { requestHash } from "#domain/request-hash.ts";
import { packRequest } from "#domain/sealed-request.ts";
import { validateTarget } from "#domain/target-url.ts";
import { StaleCredential } from "../auth/cached-credentials.ts";
import type { Ctx } from "../context.ts";
import { changeAtOnce } from "./change-at-once.ts";
import { creationLimits, NO_HASH, prepareSchedule, type ScheduleRequest } from "./prepare.ts";

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
  const idempotencyKey = input.idempotencyKey ?? null;
  const options = optionsOf(input);
  const original = { targetUrl, method, time: time?.given ?? null, headers, payload, ...options };
  const deliveredUrl = target.ok ? target.url : null;
  return {
    target,
    method,
    time,
    packed: packRequest({ headers, payload }),
    payloadSizeBytes: Buffer.byteLength(payload ?? ""),
    idempotencyKey,
    requestHash: idempotencyKey === null ? NO_HASH : requestHash(ctx.requestHashKey, original, deliveredUrl),
    replayOf: null,
    ...options,
    precheckError: time?.refusal ?? delaysRejection(options.delivery, ctx.limits) ?? undefined,
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
  if (!("id" in creation)) throw await refusalOf(ctx, creation.outcome, request, rejection);
  return { ...creation, ...clockChangeOf(request) };
}

/** The error of a request that was not stored. */
export async function refusalOf(
  ctx: Ctx,
  outcome: Exclude<Creation, { id: string }>["outcome"],
  { time, isCopied }: Pick<ScheduleRequest, "time" | "isCopied">,
  rejection: AppError | null,
): Promise<Error> {
  switch (outcome) {
    case "inactive":
      return new Unauthorized();
    case "stale":
      return new StaleCredential();
    case "past":
      return notInFuture(time?.name ?? "fireAt");
    case "expired":
      return expiresTooEarly(isCopied);
    case "rejected":
      return rejection ?? new Error("the database returned a rejection that was not requested");
    case "quota":
      return quotaError(ctx);
  }
}

/** Present where a local time was given. */
export function clockChangeOf({ time }: Pick<ScheduleRequest, "time">): Pick<ReadTime, "clockChange"> {
  return time?.clockChange === undefined ? {} : { clockChange: time.clockChange };
}

/** QUOTA_EXCEEDED, by what this month has so far. */
export async function quotaError(ctx: Ctx): Promise<AppError> {
  return quotaExceeded(ctx.limits, ctx.tenant.env, await ctx.query(({ sql }) => readMonth(sql, ctx.tenant)));
}
