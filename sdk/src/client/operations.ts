import type { Operation, OperationFilter, OperationInput, StartedOperation } from "../types.ts";
import type { Call, CallOptions } from "./call.ts";
import { invalid } from "./invalid.ts";
import { createPager, type Pager } from "./pager.ts";
import { pathOf } from "./path-of.ts";
import { withKey, writeJson } from "./write-body.ts";

export interface Operations {
  /**
   * Cancels or replays many schedules, in steps that follow the answer. Without `idempotencyKey` it gets one. Throws
   * INVALID_ARGUMENT for a filter that has an undefined value: it would match more than was meant.
   */
  start(input: OperationInput, options?: CallOptions): Promise<StartedOperation>;
  /** Operations, the newest first. */
  list(filter?: OperationFilter, options?: CallOptions): Pager<Operation>;
  /** One operation, and how far it is. */
  get(id: string, options?: CallOptions): Promise<Operation>;
  /** Stops an operation; what it has done stays done. Throws CONFLICT when it has ended otherwise. */
  stop(id: string, options?: CallOptions): Promise<Operation>;
  /**
   * Waits until an operation is no longer running. Throws TIMEOUT after `timeoutMs`. During an outage it keeps polling,
   * unless `maxRetries` bounds the tries of one poll.
   */
  wait(id: string, options?: CallOptions): Promise<Operation>;
}

export function createOperations(call: Call): Operations {
  const root = "/v1/operations";
  return {
    start: async (input, options) => {
      // JSON leaves it out, which would widen what is cancelled.
      for (const [name, value] of Object.entries(input?.filter ?? {}))
        if (value === undefined) throw invalid(`filter.${name}`, "is undefined: leave it out to act on more");
      return call("POST", root, options, { body: writeJson("input", withKey(input)) });
    },
    list: (filter, options) => createPager(call, root, filter, options),
    get: async (id, options) => call("GET", pathOf(root, id), options),
    stop: async (id, options) => call("POST", `${pathOf(root, id)}/stop`, options),
    wait: async (id, options) =>
      call<Operation>("GET", pathOf(root, id), options, {
        nextLook: ({ status }) => (status === "running" ? 1_000 : undefined),
      }),
  };
}
