import { type CreateInput, CreateInput as Item } from "../../../contract/inputs/create-input.ts";
import { delaysRejection } from "../../../contract/inputs/delivery-input.ts";
import { notInFuture, type ReadTime, readTime } from "../../../contract/inputs/time-input.ts";
import { validate } from "../../../contract/inputs/validate.ts";
import { expiresTooEarly, quotaExceeded, sizeRejection, targetRejection } from "../../../contract/refusals.ts";
import { AppError } from "../../../domain/errors.ts";
import { type FireTime, NOW } from "../../../domain/fire-time.ts";
import type { HeaderPairs } from "../../../domain/headers.ts";
import { type GivenOptions, optionsOf, type RequestOptions, requestFields } from "../../../domain/request-fields.ts";
import { type TargetValidation, validateTarget } from "../../../domain/target-url.ts";
import type { BulkResult, Created, Method, RejectedItem } from "../types.ts";
import type { Account, Stored } from "./account.ts";
import { byteLength, iso } from "./present.ts";

/** A schedule that is to be stored. */
export type Draft = RequestOptions & {
  target: TargetValidation;
  method: Method;
  headers: HeaderPairs;
  payload: string;
  time: ReadTime | undefined;
  idempotencyKey: string | undefined;
  /** What makes it the same request as another one. */
  compared: string;
  replayOf: string | null;
  isUncounted?: boolean;
  operationId?: string;
  /** Its delivery options are those of the schedule that it repeats. */
  isCopied?: boolean;
  /** Errors that come before those of target and size. */
  refusal?: AppError | undefined;
};

export function draftOf(account: Account, body: Omit<CreateInput, keyof GivenOptions> & GivenOptions): Draft {
  const { targetUrl, method, headers, idempotencyKey, payload = "" } = body;
  const options = optionsOf(body);
  const time = readTime(body);
  const target = targetOf(account, targetUrl);
  const original = { targetUrl, method, time: time?.given ?? null, headers, payload, ...options };
  const compared = requestFields(original, target.ok ? target.url : null);
  return {
    ...{ target, method, headers, payload, time, idempotencyKey, ...options },
    ...{ compared: JSON.stringify(compared), replayOf: null },
    refusal: delaysRejection(options.delivery, account.limits) ?? undefined,
  };
}

export function targetOf({ settings }: Account, targetUrl: string): TargetValidation {
  return validateTarget(targetUrl, settings.targets, settings.env);
}

/** The instant of a time, epoch ms. */
export function instantOf(time: FireTime, nowMs: number): number {
  return "atMs" in time ? time.atMs : nowMs + time.inMs;
}

export type Creation = { schedule: Stored; isKnown: boolean; mismatch: boolean; time: ReadTime | undefined };

/**
 * Stores a schedule, or finds the one that has its idempotency key. Looks at the key, the time, the target, the size and the
 * quota, in this order. `atMs` is another instant than that of its time.
 */
export function store(account: Account, draft: Draft, atMs?: number): Creation {
  const { time, idempotencyKey: key } = draft;
  const { limits, settings, nowMs } = account;
  const known = key === undefined ? undefined : account.keys.get(key);
  if (known) return { schedule: known, isKnown: true, mismatch: known.compared !== draft.compared, time };
  const { targetUrl, fireMs, options } = checkDraft(account, draft, atMs);
  const { isUncounted = false } = draft;
  if (!isUncounted && account.scheduled >= account.quota.graceLimit) {
    throw quotaExceeded(limits, settings.env, monthOf(account));
  }
  const schedule: Stored = {
    id: account.makeId("sch"),
    targetUrl,
    ...{ method: draft.method, headers: draft.headers, payload: draft.payload },
    ...{ idempotencyKey: key, compared: draft.compared, replayOf: draft.replayOf },
    operationId: draft.operationId ?? null,
    status: "scheduled",
    ...{ fireMs, nextMs: fireMs, firedMs: null, isAsked: atMs === undefined && fireMs === nowMs },
    ...{ createdMs: nowMs, updatedMs: nowMs, endedMs: null },
    ...{ attempts: 0, failures: 0, log: [], isErased: false, endReason: null },
    ...options,
    ...{ recurrence: null, occurrenceMs: null, isHeld: false },
  };
  account.add(schedule, isUncounted);
  return { schedule, isKnown: false, mismatch: false, time };
}

/** The target, the instant (epoch ms) and the options of a draft. Looks at the time, the target and the size, in this order. `movedMs` is another
 * instant than that of its time, which the options count from. */
export function checkDraft(
  account: Account,
  draft: Draft,
  movedMs?: number,
): { targetUrl: string; fireMs: number; options: Pick<Stored, keyof RequestOptions> } {
  const { time, target, payload, refusal, delivery: given, isCopied } = draft;
  if (time?.refusal) throw time.refusal;
  const atMs = instantOf(time?.fireTime ?? NOW, account.nowMs);
  const fireMs = movedMs ?? atMs;
  if (time && atMs <= account.nowMs) throw notInFuture(time.name);
  const delivery = given?.expiresInMs === undefined ? given : { ...given, expiresAtMs: fireMs + given.expiresInMs };
  if (delivery?.expiresAtMs !== undefined && delivery.expiresAtMs <= fireMs) throw expiresTooEarly(isCopied);
  if (refusal) throw refusal;
  if (!target.ok) throw targetRejection(target.reason);
  const tooLarge = sizeRejection(byteLength(payload), account.limits);
  if (tooLarge) throw tooLarge;
  const earlyFire = draft.earlyFire ?? account.settings.earlyFire;
  return { targetUrl: target.url, fireMs, options: { ...optionsOf(draft), earlyFire, delivery } };
}

/** The answer to a create. */
export function presentCreated(account: Account, { schedule, isKnown, mismatch, time }: Creation): Created {
  return {
    id: schedule.id,
    fire_at: iso(schedule.fireMs),
    status: schedule.status,
    over_limit: account.scheduled > account.quota.limit,
    ...presentClockChange(time),
    replayed: isKnown,
    mismatch,
  };
}

/** Stores the valid ones of many items, and of those with one idempotency key the first alone. */
export function createMany(account: Account, items: readonly unknown[]): BulkResult {
  const result: BulkResult = { accepted: [], rejected: [] };
  const keys = new Set<string>();
  for (const [index, item] of items.entries()) {
    const key = (item as { idempotencyKey?: unknown } | null)?.idempotencyKey;
    try {
      const body = validate(Item, item);
      if (typeof key === "string" && keys.has(key))
        throw new AppError("CONFLICT", "An earlier item has the same idempotencyKey.");
      const { schedule, isKnown, mismatch, time } = store(account, draftOf(account, body));
      result.accepted.push({
        ...{ index, id: schedule.id, fire_at: iso(schedule.fireMs), status: schedule.status },
        ...presentClockChange(time),
        ...(isKnown && { replayed: true }),
        ...(mismatch && { mismatch: true }),
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      result.rejected.push({ index, code: error.code as RejectedItem["code"], message: error.publicMessage });
    }
    if (typeof key === "string") keys.add(key);
  }
  return result;
}

/** Where a local time was given. */
export function presentClockChange(time: ReadTime | undefined): { clock_change?: "gap" | "repeat" | null } {
  return time?.clockChange === undefined ? {} : { clock_change: time.clockChange };
}

function monthOf({ scheduled, nowMs }: Account): { scheduled: number; nextMonthMs: number } {
  const now = new Date(nowMs);
  return { scheduled, nextMonthMs: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) };
}
