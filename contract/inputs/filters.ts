import { z } from "zod";
import { FILTERS, type FilterName } from "#domain/filters.ts";
import { OperationId } from "../fields.ts";
import { IdempotencyKey } from "./create-input.ts";

/** A parameter of a filter. */
function parameter<T>({ read, must }: { read: (text: string) => T | null; must: string }) {
  return z
    .string(must)
    .transform((text, context) => {
      const value = read(text);
      if (value !== null && value !== undefined) return value;
      context.addIssue(must);
      return z.NEVER;
    })
    .optional();
}

/** Filters that schedules, the log and operations have in common. */
export const filterParameters = {
  late: parameter(FILTERS.late).meta({
    pattern: "^(-?\\d+)?\\.\\.(-?\\d+)?$",
    description: "How late, in whole ms, both ends included: `250..`, `..0`, `100..500`. Negative is early.",
    examples: ["250.."],
  }),
  host: parameter(FILTERS.host).meta({
    description: "The whole host of the target URL; with its port unless that is 443.",
    examples: ["api.example.com"],
  }),
  code: parameter(FILTERS.code).meta({ pattern: "^([1-9]\\d\\d|[2-5]xx|none)$" }),
  idempotency_key: IdempotencyKey.optional(),
  operation: parameter(FILTERS.operation).meta({ pattern: "^op_[0-7][0-9a-hjkmnp-tv-z]{25}$" }),
  recurrence: IdempotencyKey.optional(),
} satisfies Record<FilterName, z.ZodType>;

/** The same in the answer that names an operation's filter. Null: any. */
export const FILTERS_IN_ANSWERS = {
  late: z.string().nullable().describe("How late the first attempt was, ms."),
  host: z.string().nullable().describe("The host of the target."),
  code: z.string().nullable().describe("The answer to the last attempt."),
  idempotency_key: z.string().nullable().describe("The key of the schedule."),
  operation: OperationId.nullable().describe("The operation that made the copies."),
  recurrence: z.string().nullable().describe("The key of the recurrence that made the occurrences."),
} satisfies Record<FilterName, z.ZodType>;
