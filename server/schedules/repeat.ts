import { findStoredRequest, type StoredRequest } from "#db/queries/schedules/stored-request.ts";
import { AppError } from "#domain/errors.ts";
import { repeatHash } from "#domain/request-hash.ts";
import { openRequest, packRequest, unpackRequest } from "#domain/sealed-request.ts";
import { validateTarget } from "#domain/target-url.ts";
import type { Ctx } from "../context.ts";
import { type CreatedSchedule, store } from "./create.ts";
import { scheduleIdOrThrow, scheduleNotFound } from "./get.ts";
import { NO_HASH } from "./prepare.ts";
import type { RepeatInput } from "./repeat-input.ts";
import { readTime } from "./time-input.ts";

/**
 * Replays or clones a schedule of any status as a new one, with the same target and method. A clone has a new payload and
 * may have new headers. Fires now unless a time is given. Validates like `createOne` and throws the same errors; also
 * NOT_FOUND, and CONFLICT when content that the copy needs was erased.
 */
export async function repeatSchedule(ctx: Ctx, textId: string, input: RepeatInput): Promise<CreatedSchedule> {
  const id = scheduleIdOrThrow(textId);
  const stored = await ctx.query(({ sql }) => findStoredRequest(sql, ctx.tenant, id));
  if (stored === undefined) throw scheduleNotFound();
  const { payload = null, headers = null } = input;
  const time = readTime(input);
  const idempotencyKey = input.idempotencyKey ?? null;
  const original = { of: id, time: time?.given ?? null, payload, headers };
  return store(ctx, {
    target: validateTarget(stored.targetUrl, ctx.config.targetPolicy),
    method: stored.method,
    time,
    earlyFire: null,
    ...repeatedContent(ctx, id, stored, input),
    idempotencyKey,
    requestHash: idempotencyKey === null ? NO_HASH : repeatHash(ctx.requestHashKey, original),
    replayOf: id,
  });
}

function repeatedContent(ctx: Ctx, id: string, stored: StoredRequest, input: RepeatInput) {
  const { sealed, isErased } = stored;
  const keepsContent = input.payload === undefined || input.headers === undefined;
  const packed = keepsContent && sealed && openRequest(ctx.config.keyRing, sealed, { ...ctx.tenant, id, ...stored });
  const original = packed ? unpackRequest(packed) : undefined;
  const payload = input.payload ?? original?.payload.toString() ?? "";
  const headers = input.headers ?? original?.headers ?? [];
  return {
    packed: packRequest({ headers, payload }),
    payloadSizeBytes: Buffer.byteLength(payload),
    precheckError: keepsContent && isErased ? contentErased() : undefined,
  };
}

function contentErased(): AppError {
  return new AppError(
    "CONFLICT",
    "The payload and headers of this schedule were erased at the end of the plan's retention window. A clone with its own headers is still possible.",
  );
}
