import { z } from "zod";
import { CODE_CLASSES, parseCode } from "#domain/answer-code.ts";
import { decodeId } from "#domain/ids.ts";
import { parseLateRange } from "#domain/late-range.ts";
import { searchedHost } from "#domain/searched-host.ts";
import { IdempotencyKey } from "./create-input.ts";

/** A parameter that `parse` reads; it returns undefined for text that is not valid, for which `problem` is the message. */
function parsed<T>(parse: (text: string) => T | undefined, problem: string) {
  return z.string(problem).transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue(problem);
    return z.NEVER;
  });
}

/** Filters that schedules, the log and operations have in common. */
export const filterParameters = {
  late: parsed(
    (text) => parseLateRange(text) ?? undefined,
    "must be a range of whole milliseconds, such as 250.., ..0 or 100..500",
  )
    .optional()
    .meta({
      pattern: "^(-?\\d+)?\\.\\.(-?\\d+)?$",
      description: "How late, in whole ms, both ends included: `250..`, `..0`, `100..500`. Negative is early.",
      examples: ["250.."],
    }),
  host: parsed((text) => searchedHost(text) ?? undefined, "must be the host of a target, such as api.example.com")
    .optional()
    .meta({
      description: "The whole host of the target URL; with its port unless that is 443.",
      examples: ["api.example.com"],
    }),
  code: parsed(
    (text) => (parseCode(text) === undefined ? undefined : text),
    `must be a status code such as 503, or one of ${CODE_CLASSES.join(", ")}`,
  )
    .optional()
    .meta({ pattern: "^([1-9]\\d\\d|[2-5]xx|none)$" }),
  idempotency_key: IdempotencyKey.optional(),
  operation: parsed(
    (text) => decodeId("op", text) ?? undefined,
    "must be the id of an operation, such as op_01kbm5qk4f8rz3c2x7w9v6n1ta",
  )
    .optional()
    .meta({ pattern: "^op_[0-7][0-9a-hjkmnp-tv-z]{25}$" }),
};

export const FILTER_NAMES = Object.keys(filterParameters) as (keyof typeof filterParameters)[];
