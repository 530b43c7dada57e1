import type { Operation, OperationFilter, OperationInput, StartedOperation } from "../types.ts";
import type { Call, CallOptions } from "./call.ts";
import { createPager, type Pager } from "./pager.ts";
import { pathOf } from "./path-of.ts";
import { withKey, writeJson } from "./write-body.ts";

export interface Operations {
  /** Cancels or replays many schedules, in steps that follow the answer. Without `idempotencyKey` it gets one. */
  start(input: OperationInput, options?: CallOptions): Promise<StartedOperation>;
  list(filter?: OperationFilter, options?: CallOptions): Pager<Operation>;
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
    start: async (input, options) => call("POST", root, options, { body: writeJson("input", withKey(input)) }),
    list: (filter, options) => createPager(call, root, filter, options),
    get: async (id, options) => call("GET", pathOf(root, id), options),
    stop: async (id, options) => call("POST", `${pathOf(root, id)}/stop`, options),
    wait: async (id, options) =>
      call<Operation>("GET", pathOf(root, id), options, {
        nextLook: ({ status }) => (status === "running" ? 1_000 : undefined),
      }),
  };
}
