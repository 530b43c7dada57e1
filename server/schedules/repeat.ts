import { delaysRejection } from "#contract/inputs/delivery-input.ts";
import { isReplay, type RepeatInput } from "#contract/inputs/repeat-input.ts";
import { readTime } from "#contract/inputs/time-input.ts";
import { contentErased, scheduleNotFound } from "#contract/refusals.ts";
import { findStoredRequest, keptByCopy, type StoredRequest } from "#db/queries/schedules/stored-request.ts";
import { repeatHash } from "#domain/request-hash.ts";
import { openRequest, packRequest, unpackRequest } from "#domain/sealed-request.ts";
import { validateTarget } from "#domain/target-url.ts";
import type { Ctx } from "../context.ts";
import { type CreatedSchedule, store } from "./create.ts";
import { scheduleIdOrThrow } from "./get.ts";
import { NO_HASH, type ScheduleRequest } from "./prepare.ts";

/**
 * Replays or clones a schedule of any status as a new one, with the same method. A clone has a new payload, and may have new
 * headers and another target; it has no headers of the original then. Fires now unless a time is given. Validates like
 * `createOne` and throws the same errors; also NOT_FOUND, and CONFLICT when content that the copy needs was erased.
 */
export async function repeatSchedule(ctx: Ctx, textId: string, input: RepeatInput): Promise<CreatedSchedule> {
  const stored = await storedRequestOrThrow(ctx, textId);
  const headers = input.headers ?? (input.targetUrl === undefined ? undefined : []);
  return store(ctx, repeatRequest(ctx, stored, { ...input, headers }));
}

/** The stored request of a schedule, with the schedule's id (UUID). Throws NOT_FOUND. */
export async function storedRequestOrThrow(ctx: Ctx, textId: string): Promise<StoredRequest & { id: string }> {
  const id = scheduleIdOrThrow(textId);
  const stored = await ctx.query(({ sql }) => findStoredRequest(sql, ctx.tenant, id));
  if (stored === undefined) throw scheduleNotFound();
  return { ...stored, id };
}

/** A copy of a stored request with the changes of `input`, to be stored. It is sealed anew, for its own id and target. */
export function repeatRequest(ctx: Ctx, stored: StoredRequest & { id: string }, input: RepeatInput): ScheduleRequest {
  const { payload = null, headers = null, targetUrl = null, delivery } = input;
  const time = readTime(input);
  const idempotencyKey = input.idempotencyKey ?? null;
  const target = validateTarget(targetUrl ?? stored.targetUrl, ctx.config.targetPolicy, ctx.tenant.env);
  const { precheckError, ...content } = repeatedContent(ctx, stored, input);
  const hashedTarget = targetUrl !== null && target.ok ? target.url : targetUrl;
  const original = { of: stored.id, time: time?.given ?? null, payload, headers, targetUrl: hashedTarget, delivery };
  return {
    ...keptByCopy(stored.id, stored),
    isUncounted: stored.isDead && isReplay(input),
    target,
    time,
    ...content,
    precheckError: time?.refusal ?? delaysRejection(delivery, ctx.limits) ?? precheckError,
    idempotencyKey,
    requestHash: idempotencyKey === null ? NO_HASH : repeatHash(ctx.requestHashKey, original),
    ...(delivery === undefined ? { isCopied: true } : { delivery }),
  };
}

function repeatedContent(ctx: Ctx, stored: StoredRequest & { id: string }, input: RepeatInput) {
  const { sealed, isErased } = stored;
  const keepsContent = input.payload === undefined || input.headers === undefined;
  const packed = keepsContent && sealed && openRequest(ctx.config.keyRing, sealed, { ...ctx.tenant, ...stored });
  const original = packed ? unpackRequest(packed) : undefined;
  const payload = input.payload ?? original?.payload.toString() ?? "";
  const headers = input.headers ?? original?.headers ?? [];
  return {
    packed: packRequest({ headers, payload }),
    payloadSizeBytes: Buffer.byteLength(payload),
    precheckError: keepsContent && isErased ? contentErased() : undefined,
  };
}
