import type { BodyOf, Endpoint, QueryOf } from "../../../contract/endpoint.ts";
import {
  readIdempotencyHeader,
  refuseIdempotencyHeader,
  withIdempotencyHeader,
} from "../../../contract/inputs/idempotency-header.ts";
import { readKey } from "../../../contract/inputs/key.ts";
import { OFFSET_MAX } from "../../../contract/inputs/list-parameters.ts";
import type { RepeatInput } from "../../../contract/inputs/repeat-input.ts";
import { linkHeader } from "../../../contract/link-header.ts";
import * as logs from "../../../contract/logs.ts";
import * as me from "../../../contract/me.ts";
import * as operations from "../../../contract/operations.ts";
import * as overviews from "../../../contract/overview.ts";
import * as recurrences from "../../../contract/recurrences.ts";
import { scheduleNotFound } from "../../../contract/refusals.ts";
import * as schedules from "../../../contract/schedules.ts";
import * as byKey from "../../../contract/schedules-by-key.ts";
import * as secrets from "../../../contract/signing-secrets.ts";
import { AppError } from "../../../domain/errors.ts";
import type { Page } from "../types.ts";
import type { Account, Stored, StoredOperation } from "./account.ts";
import { createMany, type Draft, draftOf, presentClockChange, presentCreated, store } from "./create.ts";
import { overview, profile, punctuality, usage } from "./figures.ts";
import { listLogs, listOperations, listRecurrences, listSchedules } from "./lists.ts";
import { cancel, fire, reschedule } from "./move.ts";
import { startOperation, stopOperation } from "./operations.ts";
import { presentAttempts, presentOperation, presentRecurrence, presentSchedule } from "./present.ts";
import { put } from "./put.ts";
import {
  type Changed,
  deleteRecurrence,
  findRecurrence,
  pauseRecurrence,
  putRecurrence,
  resumeRecurrence,
} from "./recurrences.ts";
import { repeatOf } from "./repeat.ts";
import { rotate, signingSecrets } from "./secrets.ts";

type Call<E extends Endpoint = Endpoint> = {
  account: Account;
  /** The id or the key in the path; "" without one. */
  id: string;
  url: URL;
  headers: Headers;
  query: QueryOf<E>;
  body: BodyOf<E>;
};

export type Reply = { status?: number; headers?: { [name: string]: string }; body: object };

const on = <E extends Endpoint>({ operationId }: E, run: (call: Call<E>) => Reply) =>
  [operationId, run as (call: Call<never>) => Reply] as const;

/** What takes a call, by the operation of its endpoint. */
export const RUNS: ReadonlyMap<string, (call: Call<never>) => Reply> = new Map([
  on(schedules.listSchedules, (call) => listed(call, call.query.after, listSchedules(call.account, call.query))),
  on(schedules.createSchedule, ({ account, headers, body }) =>
    create(account, draftOf(account, withIdempotencyHeader(body, headers))),
  ),
  on(schedules.createSchedulesBulk, ({ account, headers, body }) => {
    refuseIdempotencyHeader(headers);
    return { body: createMany(account, body.schedules) };
  }),
  on(schedules.getSchedule, (call) => ({ body: presentSchedule(scheduleOf(call)) })),
  on(schedules.rescheduleSchedule, (call) => {
    const schedule = scheduleOf(call);
    const time = reschedule(call.account, schedule, call.body);
    return { body: { ...presentSchedule(schedule), ...presentClockChange(time) } };
  }),
  on(schedules.cancelSchedule, (call) => changed(call, cancel)),
  on(schedules.listAttempts, (call) => ({ body: presentAttempts(call.account, scheduleOf(call)) })),
  on(schedules.fireSchedule, (call) => changed(call, fire)),
  on(schedules.replaySchedule, (call) => repeat(call, call.body)),
  on(schedules.cloneSchedule, (call) => repeat(call, call.body)),
  on(byKey.putScheduleByKey, ({ account, id, body }) => {
    const { isNew, answer } = put(account, readKey(id, "key"), body);
    return { status: isNew ? 201 : 200, body: answer };
  }),
  on(byKey.getScheduleByKey, (call) => ({ body: presentSchedule(holderOf(call)) })),
  on(byKey.cancelScheduleByKey, ({ account, id }) => {
    const schedule = holderOf({ account, id });
    cancel(account, schedule);
    return { body: presentSchedule(schedule) };
  }),
  on(recurrences.listRecurrences, (call) => listed(call, call.query.after, listRecurrences(call.account, call.query))),
  on(recurrences.putRecurrence, ({ account, id, query, body }) => {
    const changing = query.dryRun ? account.copy() : account;
    const { isNew, ...changed } = putRecurrence(changing, readKey(id, "key"), body);
    return { status: isNew ? 201 : 200, body: presentChanged(changing, changed) };
  }),
  on(recurrences.getRecurrence, ({ account, id }) => ({
    body: presentRecurrence(account, findRecurrence(account, readKey(id, "key"))),
  })),
  on(recurrences.deleteRecurrence, ({ account, id }) => {
    const { recurrence, ...taken } = deleteRecurrence(account, readKey(id, "key"));
    return { body: { key: recurrence.key, ...takenBack(taken) } };
  }),
  on(recurrences.pauseRecurrence, ({ account, id, body }) => ({
    body: presentChanged(account, pauseRecurrence(account, readKey(id, "key"), body)),
  })),
  on(recurrences.resumeRecurrence, ({ account, id }) => ({
    body: presentRecurrence(account, resumeRecurrence(account, readKey(id, "key"))),
  })),
  on(operations.listOperations, (call) => listed(call, call.query.after, listOperations(call.account, call.query))),
  on(operations.startOperation, ({ account, headers, body }) => {
    const started = startOperation(account, withIdempotencyHeader(body, headers));
    return { status: started.replayed ? 200 : 202, headers: marks(started), body: started };
  }),
  on(operations.getOperation, (call) => ({ body: presentOperation(operationOf(call)) })),
  on(operations.stopOperation, (call) => {
    const operation = operationOf(call);
    stopOperation(call.account, operation);
    return { body: presentOperation(operation) };
  }),
  on(logs.listLogs, (call) => listed(call, call.query.after, listLogs(call.account, call.query))),
  on(overviews.getOverview, ({ account, query }) => ({ body: overview(account, query) })),
  on(overviews.getUsage, ({ account }) => ({ body: usage(account) })),
  on(overviews.getPunctuality, ({ account }) => ({ body: punctuality(account) })),
  on(secrets.getSigningSecrets, ({ account }) => ({ body: signingSecrets(account) })),
  on(secrets.rotateSigningSecrets, ({ account, headers }) => {
    const body = rotate(account, readIdempotencyHeader(headers));
    return { headers: marks(body), body };
  }),
  on(me.getProfile, ({ account }) => ({ body: profile(account) })),
]);

function create(account: Account, draft: Draft): Reply {
  const creation = store(account, draft);
  const body = presentCreated(account, creation);
  return { status: creation.isKnown ? 200 : 201, headers: marks(body), body };
}

/** Replays or clones the schedule of the path. */
function repeat({ account, id, headers }: Where, given: RepeatInput): Reply {
  const body = withIdempotencyHeader(given, headers);
  return create(account, repeatOf(account, scheduleOf({ account, id }), body));
}

/** What every call has. */
type Where = Pick<Call, "account" | "id" | "url" | "headers">;

function listed({ url }: Where, after: object | undefined, page: Page<object>): Reply {
  const { limit, offset, total, next_cursor: cursor } = page;
  const link = linkHeader(url.origin, url.href, {
    ...{ limit, offset, offsetMax: OFFSET_MAX, total, cursor: cursor ?? undefined, isByCursor: after !== undefined },
  });
  return { headers: link === undefined ? {} : { Link: link }, body: page };
}

function changed(call: Where, change: (account: Account, schedule: Stored) => void): Reply {
  const schedule = scheduleOf(call);
  change(call.account, schedule);
  return { body: presentSchedule(schedule) };
}

function presentChanged(account: Account, { recurrence, ...taken }: Changed): object {
  return { ...presentRecurrence(account, recurrence), ...takenBack(taken) };
}

const takenBack = ({ taken, inFlight }: Omit<Changed, "recurrence">) => ({ taken_back: taken, in_flight: inFlight });

function scheduleOf({ account, id }: Pick<Call, "account" | "id">): Stored {
  const schedule = account.schedules.get(id);
  if (!schedule) throw scheduleNotFound();
  return schedule;
}

function holderOf({ account, id }: Pick<Call, "account" | "id">): Stored {
  const schedule = account.keys.get(readKey(id, "key"));
  if (!schedule) throw scheduleNotFound("key");
  return schedule;
}

function operationOf({ account, id }: Pick<Call, "account" | "id">): StoredOperation {
  const operation = account.operations.get(id);
  if (!operation) throw new AppError("NOT_FOUND", "There is no operation with this id.");
  return operation;
}

/** Headers that tell the result of an idempotency key. */
function marks({ replayed, mismatch }: { replayed: boolean; mismatch?: boolean }): { [name: string]: string } {
  return {
    ...(replayed && { "Idempotent-Replayed": "true" }),
    ...(mismatch && { "Idempotency-Mismatch": "true" }),
  };
}
