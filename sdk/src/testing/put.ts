import type { PutInput } from "../../../contract/inputs/create-input.ts";
import { NOW } from "../../../domain/fire-time.ts";
import type { PutSchedule } from "../types.ts";
import type { Account, Stored } from "./account.ts";
import { checkDraft, type Draft, draftOf, instantOf, presentClockChange, store } from "./create.ts";
import { cancel, conflict } from "./move.ts";
import { iso } from "./present.ts";

/** Stores a schedule under a key, or changes the one that has it while it is `scheduled`. `isNew`: whether it is a new one. */
export function put(account: Account, key: string, body: PutInput): { isNew: boolean; answer: PutSchedule } {
  const { maxDelay, ...input } = body;
  const holder = account.keys.get(key);
  if (holder?.status === "firing") throw conflict(account, holder, "replaced");
  const draft = draftOf(account, { ...input, idempotencyKey: key });
  const isNew = holder?.status !== "scheduled";
  const schedule = isNew ? take(account, holder, draft, maxDelay) : change(account, holder, draft, maxDelay);
  const answer = {
    id: schedule.id,
    fire_at: iso(schedule.fireMs),
    status: schedule.status,
    over_limit: account.scheduled > account.quota.limit,
    ...presentClockChange(draft.time),
    replaces: isNew ? (holder?.id ?? null) : null,
  };
  return { isNew, answer };
}

/** Changes the request, the options and the time of a schedule. */
function change(account: Account, schedule: Stored, draft: Draft, maxDelayMs = Number.POSITIVE_INFINITY): Stored {
  const { method, headers, payload, compared } = draft;
  const { nowMs } = account;
  const atMs = instantOf(draft.time?.fireTime ?? NOW, nowMs);
  const fireMs = Math.max(nowMs, Math.min(atMs, schedule.createdMs + maxDelayMs));
  const { targetUrl, options } = checkDraft(account, draft, fireMs);
  const request = { targetUrl, method, headers, payload, compared, replayOf: null, ...options };
  const time = { fireMs, nextMs: fireMs, isAsked: fireMs === nowMs, updatedMs: nowMs };
  return Object.assign(schedule, request, time);
}

/** Stores a new schedule, which takes the key of another one. That one ends if it waits for a retry. */
function take(account: Account, holder: Stored | undefined, draft: Draft, maxDelayMs?: number): Stored {
  const { time } = draft;
  if (time && "inMs" in time.fireTime && maxDelayMs !== undefined) {
    draft.time = { ...time, fireTime: { inMs: Math.min(time.fireTime.inMs, maxDelayMs) } };
  }
  if (!holder?.idempotencyKey) return store(account, draft).schedule;
  account.keys.delete(holder.idempotencyKey);
  try {
    const { schedule } = store(account, draft);
    if (holder.status === "failed") cancel(account, holder);
    holder.idempotencyKey = undefined;
    return schedule;
  } finally {
    if (holder.idempotencyKey) account.keys.set(holder.idempotencyKey, holder);
  }
}
