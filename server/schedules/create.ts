import { readMonth } from "#db/queries/accounts/usage.ts";
import { type Creation, createSchedule } from "#db/queries/schedules/create.ts";
import { AppError } from "#domain/errors.ts";
import { formatInstant } from "#domain/instant.ts";
import { quotaOf } from "#domain/quota.ts";
import { requestHash } from "#domain/request-hash.ts";
import { packRequest } from "#domain/sealed-request.ts";
import { unauthorized } from "../auth/authenticate.ts";
import { StaleCredential } from "../auth/cached-credentials.ts";
import type { Ctx } from "../context.ts";
import { invalid } from "../input/validate.ts";
import type { CreateInput } from "./create-input.ts";
import { creationLimits, NO_HASH, prepareSchedule, type ScheduleRequest } from "./prepare.ts";

export type CreatedSchedule = Extract<Creation, { outcome: "created" | "replayed" }>;

/**
 * Stores one schedule, or returns the existing one with its idempotency key. Checks in this order: known key, time,
 * target, size, quota. Throws VALIDATION, PAYLOAD_TOO_LARGE or QUOTA_EXCEEDED; nothing is stored then.
 */
export async function createOne(ctx: Ctx, input: CreateInput): Promise<CreatedSchedule> {
  return store(ctx, scheduleRequest(ctx, input));
}

/** The schedule that a create request describes, with packed content and request hash. */
export function scheduleRequest(ctx: Ctx, input: CreateInput) {
  const { targetUrl, method, headers, fireAt: fireAtMs } = input;
  const payload = input.payload ?? null;
  const earlyFire = input.earlyFire ?? null;
  const idempotencyKey = input.idempotencyKey ?? null;
  const original = { targetUrl, method, fireAtMs, headers, payload, earlyFire };
  return {
    targetUrl,
    method,
    fireAtMs,
    earlyFire,
    packed: packRequest({ headers, payload }),
    payloadSizeBytes: Buffer.byteLength(payload ?? ""),
    idempotencyKey,
    requestHash: idempotencyKey === null ? NO_HASH : requestHash(ctx.requestHashKey, original),
    replayOf: null,
  } satisfies ScheduleRequest;
}

/** Stores a schedule by one statement. Throws what `createOne` throws, and `request.precheckError`. */
export async function store(ctx: Ctx, request: ScheduleRequest): Promise<CreatedSchedule> {
  const { schedule, rejection } = prepareSchedule(ctx, request);
  const creation = await ctx.query(({ sql }) => createSchedule(sql, ctx.tenant, creationLimits(ctx), schedule));
  switch (creation.outcome) {
    case "created":
    case "replayed":
      return creation;
    case "inactive":
      throw unauthorized();
    case "stale":
      throw new StaleCredential();
    case "past":
      throw notInFuture();
    case "rejected":
      throw rejection ?? new Error("the database returned a rejection that was not requested");
    case "quota":
      throw await quotaExceeded(ctx);
  }
}

export function notInFuture(): AppError {
  return invalid([{ path: "fireAt", message: "must be in the future" }]);
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
