import { type Creation, createSchedule, readMonth } from "#db/queries/create-schedule.ts";
import { scheduleAad } from "#domain/associated-data.ts";
import { seal } from "#domain/cipher.ts";
import { AppError } from "#domain/errors.ts";
import { newId } from "#domain/ids.ts";
import { formatInstant } from "#domain/instant.ts";
import { quotaOf } from "#domain/quota.ts";
import { requestHash } from "#domain/request-hash.ts";
import { packRequest } from "#domain/sealed-request.ts";
import { judgeTarget } from "#domain/target-url.ts";
import { unauthorized } from "../auth/authenticate.ts";
import type { Ctx } from "../context.ts";
import { invalid } from "../validate.ts";
import type { CreateInput } from "./create-input.ts";

export type CreatedSchedule = Extract<Creation, { outcome: "created" | "replayed" }>;

/**
 * Stores one schedule, or finds the one that its idempotency key belongs to. Judged in this order: known key, time,
 * target, size, quota. Throws VALIDATION, PAYLOAD_TOO_LARGE or QUOTA_EXCEEDED, and then nothing was stored.
 */
export async function createOne(ctx: Ctx, input: CreateInput): Promise<CreatedSchedule> {
  const id = newId(Date.now());
  const payload = input.payload ?? null;
  const payloadSizeBytes = Buffer.byteLength(payload ?? "");
  const target = judgeTarget(input.targetUrl, ctx.config.targetPolicy);
  const verdict = target.ok ? judgeSize(payloadSizeBytes, ctx.limits.payloadBytesMax) : refuseTarget(target.reason);
  const packed = verdict === null ? packRequest({ headers: input.headers, payload }) : null;

  const creation = await ctx.query(({ sql }) =>
    createSchedule(sql, ctx.tenant, limitsOf(ctx), {
      id,
      fireAtMs: input.fireAt,
      earlyFire: input.earlyFire ?? null,
      // A refused address may be anything, NUL included, and is not stored.
      targetUrl: target.ok ? target.url : "",
      origin: target.ok ? target.origin : "",
      method: input.method,
      sealed: packed && seal(ctx.config.keyRing, packed, scheduleAad(id)),
      payloadSizeBytes,
      idempotencyKey: input.idempotencyKey ?? null,
      requestHash: requestHash(ctx.requestHashKey, {
        targetUrl: input.targetUrl,
        method: input.method,
        fireAtMs: input.fireAt,
        headers: input.headers,
        payload,
        earlyFire: input.earlyFire ?? null,
      }),
      replayOf: null,
      verdict: verdict?.code ?? null,
    }),
  );
  switch (creation.outcome) {
    case "created":
    case "replayed":
      return creation;
    case "inactive":
      throw unauthorized();
    case "past":
      throw invalid([{ path: "fireAt", message: "must be in the future" }]);
    case "verdict":
      throw verdict ?? new Error("the database judged what nobody found");
    case "quota":
      throw await quotaExceeded(ctx);
  }
}

function limitsOf(ctx: Ctx) {
  return { ...quotaOf(ctx.limits, ctx.tenant.env), earlyFire: ctx.limits.earlyFire };
}

function refuseTarget(reason: string): AppError {
  return new AppError("VALIDATION", reason, {
    details: [{ path: "targetUrl", message: reason.replace(/^targetUrl /, "") }],
  });
}

function judgeSize(bytes: number, bytesMax: number): AppError | null {
  if (bytes <= bytesMax) return null;
  return new AppError("PAYLOAD_TOO_LARGE", `payload has ${bytes} bytes; this plan allows ${bytesMax} bytes.`);
}

async function quotaExceeded(ctx: Ctx): Promise<AppError> {
  const { limit, graceLimit } = quotaOf(ctx.limits, ctx.tenant.env);
  const { scheduled, nextMonthMs } = await ctx.query(({ sql }) => readMonth(sql, ctx.tenant));
  const grace = graceLimit > limit ? `, ${graceLimit} with its grace` : "";
  return new AppError(
    "QUOTA_EXCEEDED",
    `${scheduled} ${ctx.tenant.env} schedules were created this month, and the plan allows ${limit}${grace}. The next month begins at ${formatInstant(nextMonthMs)}.`,
  );
}
