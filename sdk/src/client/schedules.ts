import type {
  Attempts,
  CloneInput,
  Created,
  CreateInput,
  ReplayInput,
  RescheduledSchedule,
  RescheduleInput,
  Schedule,
  ScheduleFilter,
} from "../types.ts";
import type { Call, CallOptions, Trace } from "./call.ts";
import { pathOf } from "./check-id.ts";
import { type CreateMany, createCreateMany } from "./create-many.ts";
import { isMoved } from "./is-moved.ts";
import { createPager, type Pager, pageQuery } from "./pager.ts";
import { poll } from "./poll.ts";
import { callAndReadBack } from "./read-back.ts";
import { withKey, writeSchedule } from "./write-body.ts";

export interface Schedules {
  /**
   * Creates one schedule. Without `idempotencyKey` it gets one, so that nothing is created twice when the call is sent
   * again after a lost answer.
   */
  create(input: CreateInput, options?: CallOptions): Promise<Created>;
  createMany: CreateMany;
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
   * Waits until a schedule has succeeded, is dead or was cancelled. Throws TIMEOUT after `timeoutMs`. Outages are waited
   * out, unless `maxRetries` says how many tries a look may take.
   */
  wait(id: string, options?: CallOptions): Promise<Schedule>;
}

export function createSchedules(call: Call, timeoutMs: number): Schedules {
  const get = async (id: string, options?: CallOptions, trace?: Trace) =>
    call<Schedule>({ method: "GET", path: pathOf("sch", id) }, options, trace);
  return {
    create: async (input, options) =>
      call(
        { method: "POST", path: "/v1/schedules", body: writeSchedule(withKey(input), { needsTime: true }) },
        options,
      ),
    createMany: createCreateMany(call),
    get: (id, options) => get(id, options),
    list: (filter, options) =>
      createPager((after) => call({ method: "GET", path: "/v1/schedules", query: pageQuery(filter, after) }, options)),
    attempts: async (id, options) => call({ method: "GET", path: `${pathOf("sch", id)}/attempts` }, options),
    reschedule: async (id, input, options) => {
      const path = pathOf("sch", id);
      return callAndReadBack(call, { method: "PATCH", path, body: writeSchedule(input) }, options, {
        path,
        isAsked: (schedule, during) => isMoved(schedule, input, during),
      });
    },
    fire: async (id, options) => {
      const path = pathOf("sch", id);
      return callAndReadBack(call, { method: "POST", path: `${path}/fire` }, options, {
        path,
        // A first attempt is moved to now; a retry leaves `fire_at` as it is.
        isAsked: ({ status, attempts, fire_at, updated_at }, { fromMs }) =>
          status !== "cancelled" && Date.parse(attempts > 1 ? updated_at : fire_at) >= fromMs,
      });
    },
    cancel: async (id, options) => call({ method: "DELETE", path: pathOf("sch", id) }, options),
    replay: async (id, input, options) =>
      call({ method: "POST", path: `${pathOf("sch", id)}/replay`, body: writeSchedule(withKey(input ?? {})) }, options),
    clone: async (id, input, options) => {
      const body = writeSchedule(withKey(input), { keepsHeaders: true });
      return call({ method: "POST", path: `${pathOf("sch", id)}/clone`, body }, options);
    },
    wait: async (id, options) => {
      const trace: Trace = {};
      return poll(
        {
          read: (callOptions) => get(id, callOptions, trace),
          waitMs: ({ status, next_attempt_at }) =>
            ["succeeded", "dead", "cancelled"].includes(status)
              ? null
              : untilDue(next_attempt_at, trace.serverMs ?? Date.now()),
          timeoutMs,
        },
        options,
      );
    },
  };
}

/** Until the next attempt, but at least 1 s and at most 15 s: it may be moved or cancelled meanwhile. */
function untilDue(at: string | null, serverMs: number): number {
  return Math.min(15_000, Math.max(1_000, at === null ? 0 : Date.parse(at) - serverMs));
}
