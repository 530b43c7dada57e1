import type { BulkResult, Created, Method, RejectedItem } from "../types.ts";
import type { Account, Stored } from "./account.ts";
import { customHeaders } from "./custom-headers.ts";
import {
  type Fields,
  flag,
  idempotencyKey,
  isObject,
  listOf,
  oneOf,
  optional,
  payload,
  readFields,
  text,
} from "./fields.ts";
import { byteLength, iso } from "./present.ts";
import { Refusal, refuseField } from "./refusal.ts";
import { readTarget } from "./targets.ts";
import { checkOneTime, type GivenTime, readTime, TIME_FIELDS, type TimeBody } from "./times.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export type CreateBody = TimeBody & {
  targetUrl: string;
  payload?: string | undefined;
  method?: Method | undefined;
  headers?: Headers | undefined;
  idempotencyKey?: string | undefined;
  earlyFire?: boolean | undefined;
};

type Headers = readonly (readonly [name: string, value: string])[];

const CREATE_FIELDS: Fields<CreateBody> = {
  targetUrl: text,
  ...TIME_FIELDS,
  payload: optional(payload),
  method: optional(oneOf(...METHODS)),
  headers: optional(customHeaders),
  idempotencyKey: optional(idempotencyKey),
  earlyFire: optional(flag),
};

export function readCreateBody(body: unknown): CreateBody {
  return readFields(body, CREATE_FIELDS, checkOneTime);
}

/** A schedule that is to be stored. */
export type Draft = {
  targetUrl: string;
  method: Method;
  headers: Headers;
  payload: string;
  time: GivenTime | undefined;
  earlyFire: boolean | undefined;
  idempotencyKey: string | undefined;
  compared: string;
  replayOf: string | null;
  operationId?: string;
  /** Errors that come before those of target and size. */
  refusal?: Refusal | undefined;
};

export function draftOf(account: Account, body: CreateBody): Draft {
  const { targetUrl, method = "POST", headers = [], earlyFire } = body;
  const time = readTime(body, account.nowMs);
  const delivered = deliveredUrl(account, targetUrl);
  const written = body.payload ?? "";
  return {
    ...{ targetUrl, method, headers, time, earlyFire },
    payload: written,
    idempotencyKey: body.idempotencyKey,
    compared: JSON.stringify([delivered, method, time?.compared, earlyFire ?? null, written, comparedHeaders(headers)]),
    replayOf: null,
  };
}

/** The URL that a target is requested by; the target as it was given when it is refused. */
export function deliveredUrl({ settings }: Account, targetUrl: string): string {
  const target = readTarget(targetUrl, settings.allowedTargets, settings.env);
  return "url" in target ? target.url : targetUrl;
}

/** Headers without order, case of names and spaces around values, which make no difference to a delivery. */
export function comparedHeaders(headers: Headers): string[] {
  return headers.map(([name, value]) => `${name.toLowerCase()}: ${value.trim()}`).sort();
}

export type Creation = { schedule: Stored; isKnown: boolean; mismatch: boolean; time: GivenTime | undefined };

/**
 * Stores a schedule, or finds the one that has its idempotency key. Looks at the key, the time, the target, the size and the
 * quota, in this order.
 */
export function store(account: Account, draft: Draft): Creation {
  const { time, idempotencyKey: key } = draft;
  const known = key === undefined ? undefined : account.keys.get(key);
  if (known) return { schedule: known, isKnown: true, mismatch: known.compared !== draft.compared, time };
  if (time?.refusal) throw time.refusal;
  if (time && time.atMs <= account.nowMs) throw refuseField(time.name, "must be in the future");
  if (draft.refusal) throw draft.refusal;
  const target = readTarget(draft.targetUrl, account.settings.allowedTargets, account.settings.env);
  if ("problem" in target) throw refuseField("targetUrl", target.problem);
  checkSize(account, draft.payload);
  if (account.scheduled >= account.quota.grace) throw quotaExceeded(account);
  const fireMs = time?.atMs ?? account.nowMs;
  const schedule: Stored = {
    id: account.makeId("sch"),
    targetUrl: target.url,
    ...{ method: draft.method, headers: draft.headers, payload: draft.payload },
    ...{ idempotencyKey: key, compared: draft.compared, replayOf: draft.replayOf },
    operationId: draft.operationId ?? null,
    status: "scheduled",
    earlyFire: draft.earlyFire ?? account.settings.earlyFire,
    ...{ fireMs, nextMs: fireMs, firedMs: null, isAsked: fireMs === account.nowMs },
    ...{ createdMs: account.nowMs, updatedMs: account.nowMs, endedMs: null },
    ...{ attempts: 0, failures: 0, log: [], isErased: false },
  };
  account.add(schedule);
  return { schedule, isKnown: false, mismatch: false, time };
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

/** The items of a batch. Throws VALIDATION. */
export function readBatch(body: unknown): { schedules: readonly unknown[] } {
  return readFields<{ schedules: unknown[] }>(body, { schedules: listOf((item) => item ?? null, Infinity) });
}

/** Stores the valid ones of many items, and of those with one idempotency key the first alone. */
export function createMany(account: Account, items: readonly unknown[]): BulkResult {
  const result: BulkResult = { accepted: [], rejected: [] };
  const keys = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    const key = isObject(item) ? item.idempotencyKey : undefined;
    try {
      const body = readCreateBody(item);
      if (key !== undefined && keys.has(key))
        throw new Refusal("CONFLICT", "An earlier item has the same idempotencyKey.");
      const { schedule, isKnown, mismatch, time } = store(account, draftOf(account, body));
      result.accepted.push({
        ...{ index, id: schedule.id, fire_at: iso(schedule.fireMs), status: schedule.status },
        ...presentClockChange(time),
        ...(isKnown && { replayed: true }),
        ...(mismatch && { mismatch: true }),
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, message } = error;
      result.rejected.push({ index, code: code as RejectedItem["code"], message });
    }
    if (typeof key === "string") keys.add(key);
  }
  return result;
}

/** Where a local time was given. */
export function presentClockChange(time: GivenTime | undefined): { clock_change?: "gap" | "repeat" | null } {
  return time?.clockChange === undefined ? {} : { clock_change: time.clockChange };
}

function checkSize(account: Account, written: string): void {
  const bytes = byteLength(written);
  const max = account.limits.payloadBytes;
  if (bytes > max) throw new Refusal("PAYLOAD_TOO_LARGE", `payload has ${bytes} bytes; this plan allows ${max} bytes.`);
}

function quotaExceeded({ scheduled, quota, settings }: Account): Refusal {
  const text = `${scheduled} ${settings.env} schedules were created this month, and the plan allows ${quota.limit}.`;
  return new Refusal("QUOTA_EXCEEDED", text);
}
