import type { Page } from "../types.ts";
import type { Account, Stored, StoredOperation } from "./account.ts";
import {
  createMany,
  type Draft,
  draftOf,
  presentClockChange,
  presentCreated,
  readBatch,
  readCreateBody,
  store,
} from "./create.ts";
import { overview, profile, punctuality, usage } from "./figures.ts";
import { readKey, refuseKey, withKey } from "./idempotency-key.ts";
import { linkOf } from "./links.ts";
import { listLogs, listOperations, listSchedules } from "./lists.ts";
import { cancel, fire, readMoveBody, reschedule } from "./move.ts";
import { readOperationBody, startOperation, stopOperation } from "./operations.ts";
import { presentAttempts, presentOperation, presentSchedule } from "./present.ts";
import type { Queries } from "./read-query.ts";
import { Refusal } from "./refusal.ts";
import { readCloneBody, readReplayBody, repeatOf } from "./repeat.ts";
import { rotate, signingSecrets } from "./secrets.ts";

export type Call = {
  account: Account;
  /** Of the path; "" without one. */
  id: string;
  url: URL;
  headers: Headers;
  query: object;
  body: { readonly [name: string]: unknown };
};

export type Reply = { status?: number; headers?: { [name: string]: string }; body: object };

export type Endpoint = {
  run(call: Call): Reply;
  /** The parameters that it takes. */
  query?: keyof Queries;
  /** Its body; without this it may only be empty. */
  body?: "required" | "optional" | "bulk";
  /** `env` may not name the environment of the key. */
  hasNoEnv?: boolean;
  isPublic?: boolean;
};

/** The endpoints by path and method. Null is one that takes a session, and no API key, or that only a listener calls. */
export const ROUTES: { readonly [path: string]: { readonly [method: string]: Endpoint | null } } = {
  "/v1/schedules": {
    GET: {
      query: "schedules",
      run: (call) => listed(call, listSchedules(call.account, call.query as Queries["schedules"])),
    },
    POST: {
      body: "required",
      run: ({ account, headers, body }) => create(account, draftOf(account, withKey(readCreateBody(body), headers))),
    },
  },
  "/v1/schedules/bulk": { POST: { body: "bulk", run: createBatch } },
  "/v1/schedules/{id}": {
    GET: { run: (call) => ({ body: presentSchedule(scheduleOf(call)) }) },
    PATCH: {
      body: "required",
      run(call) {
        const body = readMoveBody(call.body);
        const schedule = scheduleOf(call);
        const time = reschedule(call.account, schedule, body);
        return { body: { ...presentSchedule(schedule), ...presentClockChange(time) } };
      },
    },
    DELETE: { run: (call) => changed(call, cancel) },
  },
  "/v1/schedules/{id}/attempts": {
    GET: { run: (call) => ({ body: presentAttempts(call.account, scheduleOf(call)) }) },
  },
  "/v1/schedules/{id}/fire": { POST: { run: (call) => changed(call, fire) } },
  "/v1/schedules/{id}/replay": {
    POST: {
      body: "optional",
      run: (call) => repeat(call, readReplayBody),
    },
  },
  "/v1/schedules/{id}/clone": {
    POST: {
      body: "required",
      run: (call) => repeat(call, readCloneBody),
    },
  },
  "/v1/operations": {
    GET: {
      query: "operations",
      run: (call) => listed(call, listOperations(call.account, call.query as Queries["operations"])),
    },
    POST: {
      body: "required",
      run({ account, headers, body }) {
        const started = startOperation(account, withKey(readOperationBody(body), headers));
        return { status: started.replayed ? 200 : 202, headers: marks(started), body: started };
      },
    },
  },
  "/v1/operations/{id}": { GET: { run: (call) => ({ body: presentOperation(operationOf(call)) }) } },
  "/v1/operations/{id}/stop": {
    POST: {
      run(call) {
        const operation = operationOf(call);
        stopOperation(call.account, operation);
        return { body: presentOperation(operation) };
      },
    },
  },
  "/v1/logs": {
    GET: { query: "logs", run: (call) => listed(call, listLogs(call.account, call.query as Queries["logs"])) },
  },
  "/v1/overview": {
    GET: {
      query: "overview",
      run: ({ account, query }) => ({ body: overview(account, query as Queries["overview"]) }),
    },
  },
  "/v1/usage": { GET: { run: ({ account }) => ({ body: usage(account) }) } },
  "/v1/status/punctuality": { GET: { isPublic: true, run: ({ account }) => ({ body: punctuality(account) }) } },
  "/v1/signing-secrets": { GET: { run: ({ account }) => ({ body: signingSecrets(account) }) } },
  "/v1/signing-secrets/rotate": {
    POST: {
      run({ account, headers }) {
        const body = rotate(account, readKey(headers));
        return { headers: marks(body), body };
      },
    },
  },
  "/v1/me": {
    GET: { hasNoEnv: true, run: ({ account }) => ({ body: profile(account) }) },
    PATCH: null,
    DELETE: null,
  },
  "/v1/listen": { GET: null },
  "/v1/listen/{id}/answer": { POST: null },
  "/v1/me/sessions": { GET: null, DELETE: null },
  "/v1/me/sessions/{id}": { DELETE: null },
  "/v1/me/events": { GET: null },
  "/v1/me/identities": { GET: null, DELETE: null },
  "/v1/me/identities/{id}": { DELETE: null },
  "/v1/me/relay-settings": { GET: null, PATCH: null },
  "/v1/api-keys": { GET: null, POST: null },
  "/v1/api-keys/{id}/rotate": { POST: null },
  "/v1/api-keys/{id}/revoke": { POST: null },
  "/v1/auth/logout": { POST: null },
  "/v1/billing/checkout": { POST: null },
  "/v1/billing/portal": { POST: null },
};

function create(account: Account, draft: Draft): Reply {
  const creation = store(account, draft);
  const body = presentCreated(account, creation);
  return { status: creation.isKnown ? 200 : 201, headers: marks(body), body };
}

/** Replays or clones the schedule of the path, as `read` finds in the body. */
function repeat(call: Call, read: (body: unknown) => Parameters<typeof repeatOf>[2]): Reply {
  const body = withKey(read(call.body), call.headers);
  return create(call.account, repeatOf(call.account, scheduleOf(call), body));
}

function listed({ url, query }: Call, page: Page<object>): Reply {
  const link = linkOf(url, page, "after" in query && query.after !== undefined);
  return { headers: link ? { Link: link } : {}, body: page };
}

function createBatch({ account, headers, body }: Call): Reply {
  const { schedules } = readBatch(body);
  refuseKey(headers);
  return { body: createMany(account, schedules) };
}

function changed(call: Call, change: (account: Account, schedule: Stored) => void): Reply {
  const schedule = scheduleOf(call);
  change(call.account, schedule);
  return { body: presentSchedule(schedule) };
}

function scheduleOf({ account, id }: Call): Stored {
  const schedule = account.schedules.get(id);
  if (!schedule) throw new Refusal("NOT_FOUND", "There is no schedule with this id.");
  return schedule;
}

function operationOf({ account, id }: Call): StoredOperation {
  const operation = account.operations.get(id);
  if (!operation) throw new Refusal("NOT_FOUND", "There is no operation with this id.");
  return operation;
}

/** Headers that tell the result of an idempotency key. */
function marks({ replayed, mismatch }: { replayed: boolean; mismatch?: boolean }): { [name: string]: string } {
  return {
    ...(replayed && { "Idempotent-Replayed": "true" }),
    ...(mismatch && { "Idempotency-Mismatch": "true" }),
  };
}
