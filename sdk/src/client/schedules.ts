import type {
  Attempts,
  CloneInput,
  Created,
  CreateInput,
  PutInput,
  PutSchedule,
  ReplayInput,
  RescheduledSchedule,
  RescheduleInput,
  Schedule,
  ScheduleFilter,
} from "../types.ts";
import type { CreateMany } from "./bulk-entries.ts";
import type { Call, CallOptions } from "./call.ts";
import { createCreateMany } from "./create-many.ts";
import { createPager, type Pager } from "./pager.ts";
import { pathOf, pathOfKey } from "./path-of.ts";
import { withKey, writeSchedule } from "./write-body.ts";

export interface Schedules {
  /**
   * Creates one schedule. Without `idempotencyKey` it gets one, so that nothing is created twice when the call is sent
   * again after a lost answer.
   */
  create(input: CreateInput, options?: CallOptions): Promise<Created>;
  createMany: CreateMany;
  /**
   * Stores a schedule under a key of yours. While the one that has the key is `scheduled`, this request and time take the
   * place of its own; a new one takes the key of one that has ended or waits for a retry. Throws CONFLICT while an attempt
   * is in progress.
   */
  put(key: string, input: PutInput, options?: CallOptions): Promise<PutSchedule>;
  /** The schedule that has a key. */
  getByKey(key: string, options?: CallOptions): Promise<Schedule>;
  /** Cancels the schedule that has a key, as `cancel`. */
  cancelByKey(key: string, options?: CallOptions): Promise<Schedule>;
  get(id: string, options?: CallOptions): Promise<Schedule>;
  list(filter?: ScheduleFilter, options?: CallOptions): Pager<Schedule>;
  /** The attempts of a schedule within the plan's retention window, oldest first. */
  attempts(id: string, options?: CallOptions): Promise<Attempts>;
  /** Moves a schedule that is still `scheduled`; else throws CONFLICT. */
  reschedule(id: string, input: RescheduleInput, options?: CallOptions): Promise<RescheduledSchedule>;
  /** Sends a `scheduled` one now, and makes the next retry of a `failed` one now; else throws CONFLICT. */
  fire(id: string, options?: CallOptions): Promise<Schedule>;
  /** Cancels a schedule that is `scheduled` or `failed`, or was cancelled already; else throws CONFLICT. */
  cancel(id: string, options?: CallOptions): Promise<Schedule>;
  /** Sends the same request again, as a new schedule; now unless a time is given. */
  replay(id: string, input?: ReplayInput, options?: CallOptions): Promise<Created>;
  /**
   * Sends the request again with another payload, as a new schedule; now unless a time is given. Without `headers` it
   * has those of the original, its Content-Type too, whether `payload` or `json` is given.
   */
  clone(id: string, input: CloneInput, options?: CallOptions): Promise<Created>;
  /**
   * Waits until a schedule has succeeded, is dead or was cancelled. Throws TIMEOUT after `timeoutMs`. During an outage
   * it keeps polling, unless `maxRetries` bounds the tries of one poll.
   */
  wait(id: string, options?: CallOptions): Promise<Schedule>;
}

export function createSchedules(call: Call): Schedules {
  const root = "/v1/schedules";
  const byKey = (key: string) => pathOfKey(`${root}/by-key`, key);
  return {
    create: async (input, options) => call("POST", root, options, { body: writeSchedule(withKey(input), true) }),
    createMany: createCreateMany(call),
    put: async (key, input, options) => call("PUT", byKey(key), options, { body: writeSchedule(input, true) }),
    getByKey: async (key, options) => call("GET", byKey(key), options),
    cancelByKey: async (key, options) => call("DELETE", byKey(key), options),
    get: async (id, options) => call("GET", pathOf(root, id), options),
    list: (filter, options) => createPager(call, root, filter, options),
    attempts: async (id, options) => call("GET", `${pathOf(root, id)}/attempts`, options),
    reschedule: async (id, input, options) =>
      call<Schedule>("PATCH", pathOf(root, id), options, {
        body: writeSchedule(input),
        isAsked: async (...found) => (await import("../on-demand.ts")).isMoved(input, ...found),
      }),
    fire: async (id, options) =>
      call<Schedule>("POST", `${pathOf(root, id)}/fire`, options, {
        isAsked: async (found, fromMs) => (await import("../on-demand.ts")).isFired(found, fromMs),
      }),
    cancel: async (id, options) => call("DELETE", pathOf(root, id), options),
    replay: async (id, input, options) =>
      call("POST", `${pathOf(root, id)}/replay`, options, { body: writeSchedule(withKey(input), false) }),
    clone: async (id, input, options) =>
      call("POST", `${pathOf(root, id)}/clone`, options, { body: writeSchedule(withKey(input), false) }),
    wait: async (id, options) =>
      call<Schedule>("GET", pathOf(root, id), options, {
        // Poll when the next attempt is due, but within 1 to 15 s: the schedule may be moved or cancelled meanwhile.
        nextLook: ({ status, next_attempt_at }, serverMs) =>
          /^(succeeded|dead|cancelled)$/.test(status)
            ? undefined
            : Math.min(15_000, Math.max(1_000, +new Date(next_attempt_at ?? 0) - serverMs)),
      }),
  };
}
