import type { Operation, OperationFilter, OperationInput, StartedOperation } from "../types.ts";
import type { Call, CallOptions } from "./call.ts";
import { pathOf } from "./check-id.ts";
import { createPager, type Pager, pageQuery } from "./pager.ts";
import { poll } from "./poll.ts";
import { withKey, writeJson } from "./write-body.ts";

export interface Operations {
  /** Cancels or replays many schedules, in steps that follow the answer. Without `idempotencyKey` it gets one. */
  start(input: OperationInput, options?: CallOptions): Promise<StartedOperation>;
  list(filter?: OperationFilter, options?: CallOptions): Pager<Operation>;
  get(id: string, options?: CallOptions): Promise<Operation>;
  /** Stops an operation; what it has done stays done. Throws CONFLICT when it has ended otherwise. */
  stop(id: string, options?: CallOptions): Promise<Operation>;
  /**
   * Waits until an operation is not running any more. Throws TIMEOUT after `timeoutMs`. Outages are waited out, unless
   * `maxRetries` says how many tries a look may take.
   */
  wait(id: string, options?: CallOptions): Promise<Operation>;
}

export function createOperations(call: Call, timeoutMs: number): Operations {
  const path = "/v1/operations";
  const get = async (id: string, options?: CallOptions) =>
    call<Operation>({ method: "GET", path: pathOf("op", id) }, options);
  return {
    start: async (input, options) => call({ method: "POST", path, body: writeJson("input", withKey(input)) }, options),
    list: (filter, options) =>
      createPager((after) => call({ method: "GET", path, query: pageQuery(filter, after) }, options)),
    get,
    stop: async (id, options) => call({ method: "POST", path: `${pathOf("op", id)}/stop` }, options),
    wait: async (id, options) =>
      poll(
        {
          read: (callOptions) => get(id, callOptions),
          waitMs: ({ status }) => (status === "running" ? 1_000 : null),
          timeoutMs,
        },
        options,
      ),
  };
}
