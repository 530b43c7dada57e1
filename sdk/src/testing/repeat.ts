import type { Account, Stored } from "./account.ts";
import { comparedHeaders, type Draft, deliveredUrl } from "./create.ts";
import { customHeaders } from "./custom-headers.ts";
import { type Fields, idempotencyKey, optional, payload, readFields, text } from "./fields.ts";
import { Refusal } from "./refusal.ts";
import { checkTimes, readTime, TIME_FIELDS, type TimeBody } from "./times.ts";

type ReplayBody = TimeBody & { idempotencyKey?: string | undefined };

type CloneBody = ReplayBody & {
  payload: string;
  headers?: Draft["headers"] | undefined;
  targetUrl?: string | undefined;
};

const REPLAY_FIELDS: Fields<ReplayBody> = { ...TIME_FIELDS, idempotencyKey: optional(idempotencyKey) };
const CLONE_FIELDS: Fields<CloneBody> = {
  ...REPLAY_FIELDS,
  ...{ payload, headers: optional(customHeaders), targetUrl: optional(text) },
};

export function readReplayBody(body: unknown): ReplayBody {
  return readFields(body, REPLAY_FIELDS, checkTimes);
}

export function readCloneBody(body: unknown): CloneBody {
  return readFields(body, CLONE_FIELDS, checkTimes);
}

/** The schedule that a replay or clone of another one makes. It fires now unless a time is given. */
export function repeatOf(account: Account, original: Stored, body: ReplayBody & Partial<CloneBody>): Draft {
  const { payload: own, targetUrl } = body;
  const headers = body.headers ?? (targetUrl === undefined ? undefined : []);
  const time = readTime(body, account.nowMs);
  const keepsContent = own === undefined || headers === undefined;
  return {
    targetUrl: targetUrl ?? original.targetUrl,
    method: original.method,
    headers: headers ?? original.headers,
    payload: own ?? original.payload,
    time,
    earlyFire: undefined,
    idempotencyKey: body.idempotencyKey,
    compared: JSON.stringify([
      ...[original.id, time?.compared, own ?? null, headers ? comparedHeaders(headers) : null],
      targetUrl === undefined ? null : deliveredUrl(account, targetUrl),
    ]),
    replayOf: original.id,
    refusal: keepsContent && original.isErased ? erased() : undefined,
  };
}

function erased(): Refusal {
  return new Refusal(
    "CONFLICT",
    "The payload and headers of this schedule were erased. A clone with its own headers is still possible.",
  );
}
