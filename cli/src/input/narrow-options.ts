import type { Command } from "commander";
import type { OperationSet } from "../../../sdk/src/types.ts";

/** The options for host, answer, lateness, key, operation and recurrence, which the service judges. */
export type NarrowOptions = {
  host?: string;
  code?: string;
  late?: string;
  idempotencyKey?: string;
  operation?: string;
  recurrence?: string;
};

/** The options by the parameters of the service. */
export const NARROW_OPTIONS = {
  host: "--host",
  code: "--code",
  late: "--late",
  idempotency_key: "--idempotency-key",
  operation: "--operation",
  recurrence: "--recurrence",
};

export function addNarrowOptions(command: Command): void {
  const { host, code, late, idempotency_key: key, operation, recurrence } = NARROW_OPTIONS;
  command
    .option(`${host} <host>`, "The whole host of the target, such as api.example.com")
    .option(`${code} <code>`, "The last answer: 503, a class such as 5xx, or none")
    .option(`${late} <range>`, "Late by so many ms: 250.., ..0 or 100..500")
    .option(`${key} <key>`, "The one that was created with this key")
    .option(`${operation} <id>`, "The copies that an operation made")
    .option(`${recurrence} <key>`, "The occurrences of the recurrence with this key");
}

/** The filter of these options, without those that were not given. */
export function parseNarrow(options: NarrowOptions): Omit<OperationSet, "status" | "q" | "from" | "to"> {
  const { host, code, late, idempotencyKey, operation, recurrence } = options;
  return {
    ...(host !== undefined && { host }),
    ...(code !== undefined && { code }),
    ...(late !== undefined && { late }),
    ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
    ...(operation !== undefined && { operation }),
    ...(recurrence !== undefined && { recurrence }),
  };
}
