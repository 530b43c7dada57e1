import type {
  ChangedRecurrence,
  DeletedRecurrence,
  PauseInput,
  Recurrence,
  RecurrenceFilter,
  RecurrenceInput,
} from "../types.ts";
import type { Call, CallOptions } from "./call.ts";
import { createPager, type Pager } from "./pager.ts";
import { pathOfKey } from "./path-of.ts";
import { writeSchedule } from "./write-body.ts";

export interface Recurrences {
  /**
   * Stores a recurrence under a key of yours, in place of the one that has it. What is left out has its default, not what it was.
   * The same again changes nothing. `dryRun`: nothing is stored, and it answers what it would without it.
   */
  put(
    key: string,
    input: RecurrenceInput,
    options?: CallOptions & { dryRun?: boolean | undefined },
  ): Promise<ChangedRecurrence>;
  get(key: string, options?: CallOptions): Promise<Recurrence>;
  /** Recurrences, the newest first. */
  list(filter?: RecurrenceFilter, options?: CallOptions): Pager<Recurrence>;
  /** Nothing of it is sent any more, but what `in_flight` counts, until it is resumed or `until` an instant. */
  pause(key: string, input?: PauseInput, options?: CallOptions): Promise<ChangedRecurrence>;
  /** It goes on from now: what would have been sent meanwhile is not. */
  resume(key: string, options?: CallOptions): Promise<Recurrence>;
  /**
   * Deletes it, and takes back what has not left. Throws NOT_FOUND where there is none, also when an answer was lost and it was
   * deleted by the try before.
   */
  delete(key: string, options?: CallOptions): Promise<DeletedRecurrence>;
}

export function createRecurrences(call: Call): Recurrences {
  const root = "/v1/recurrences";
  return {
    put: async (key, input, { dryRun, ...options } = {}) =>
      call("PUT", pathOfKey(root, key), options, { query: { dryRun }, body: writeSchedule(input) }),
    get: async (key, options) => call("GET", pathOfKey(root, key), options),
    list: (filter, options) => createPager(call, root, filter, options),
    pause: async (key, input, options) =>
      call("POST", `${pathOfKey(root, key)}/pause`, options, { body: writeSchedule(input ?? {}) }),
    resume: async (key, options) => call("POST", `${pathOfKey(root, key)}/resume`, options),
    delete: async (key, options) => call("DELETE", pathOfKey(root, key), options),
  };
}
