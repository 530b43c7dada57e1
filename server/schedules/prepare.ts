import type { CreationLimits, NewSchedule } from "#db/queries/schedules/create.ts";
import { AppError } from "#domain/errors.ts";
import { newId } from "#domain/ids.ts";
import { quotaOf } from "#domain/quota.ts";
import { sealRequest } from "#domain/sealed-request.ts";
import { validateTarget } from "#domain/target-url.ts";
import type { Ctx } from "../context.ts";

/** What is to be stored, as the caller wants it. `packed` is what `packRequest` makes of headers and payload. */
export type ScheduleRequest = Pick<
  NewSchedule,
  "fireAtMs" | "earlyFire" | "method" | "payloadSizeBytes" | "idempotencyKey" | "requestHash" | "replayOf"
> & {
  targetUrl: string;
  packed: Buffer | null;
  /** What was found wrong before target and size are judged. */
  precheckError?: AppError | undefined;
};

/** A row for the create statement, and why it is refused should the statement come to that. */
export type PreparedSchedule = { schedule: NewSchedule; rejection: AppError | null };

/** Of a request without an idempotency key. */
export const NO_HASH = Buffer.alloc(0);

/** Judges target and size, and seals what passes. */
export function prepareSchedule(
  ctx: Ctx,
  { targetUrl, packed, precheckError, ...rest }: ScheduleRequest,
): PreparedSchedule {
  const id = newId(Date.now());
  const target = validateTarget(targetUrl, ctx.config.targetPolicy);
  const rejection =
    precheckError ??
    (target.ok ? validateSize(rest.payloadSizeBytes, ctx.limits.payloadBytesMax) : targetRejection(target.reason));
  // A refused address may be anything, NUL included, and is not stored.
  const to = { id, method: rest.method, targetUrl: target.ok ? target.url : "" };
  const schedule = {
    ...rest,
    ...to,
    origin: target.ok ? target.origin : "",
    sealed: rejection === null && packed !== null ? sealRequest(ctx.config.keyRing, packed, to) : null,
    rejection: rejection?.code ?? null,
  };
  return { schedule, rejection };
}

/** What bounds creating on the caller's plan and in its environment, and what was taken from memory for that. */
export function creationLimits({ limits, tenant, plan, credential, isCached }: Ctx): CreationLimits {
  const { limit, graceLimit } = quotaOf(limits, tenant.env);
  return {
    limit,
    graceLimit,
    earlyFire: limits.earlyFire,
    cached: isCached ? { keyId: credential.id, plan } : undefined,
  };
}

function targetRejection(reason: string): AppError {
  return new AppError("VALIDATION", reason, {
    details: [{ path: "targetUrl", message: reason.replace(/^targetUrl /, "") }],
  });
}

function validateSize(bytes: number, bytesMax: number): AppError | null {
  if (bytes <= bytesMax) return null;
  return new AppError("PAYLOAD_TOO_LARGE", `payload has ${bytes} bytes; this plan allows ${bytesMax} bytes.`);
}
