import { z } from "zod";
import type { HeaderPairs } from "#domain/headers.ts";
import { parseCustomHeaders } from "#domain/headers.ts";
import { REQUEST_METHODS } from "#domain/request-methods.ts";
import { DELIVERY, Delivery } from "./delivery-input.ts";
import { BELONG_TOGETHER, checkOneTime, durationInput, ONE_TIME, TIME_FIELDS, WHATEVER_ELSE } from "./time-input.ts";

/** 1 to 255 code points, which is how Postgres counts; NUL and lone surrogates cannot be stored. */
export const IdempotencyKey = text()
  .refine((key) => key.isWellFormed(), "must be well-formed text")
  .refine((key) => !key.includes("\0"), "must not contain NUL")
  .refine((key) => key.length > 0 && key.length <= 510 && [...key].length <= 255, "must have 1 to 255 characters")
  .meta({ minLength: 1, maxLength: 255, description: "A request with a known key returns the existing schedule." });

/** Any well-formed text, NUL included. `prepareSchedule` checks its size. */
export const Payload = text("must be a string: JSON.stringify it")
  .refine((payload) => payload.isWellFormed(), "must be well-formed text")
  .describe(
    "The request body, sent byte for byte in UTF-8. The plan limits its size. It is stored encrypted and never returned.",
  );

/** Custom headers as pairs, in order. Not z.record, which drops a header named __proto__. */
export const CustomHeaders = z
  // Without `abort`, since the times of a body are judged whatever else is wrong with it.
  .custom<Record<string, string>>(isObject, { error: "must be an object of strings", abort: false })
  // Not `meta`, which returns a copy and leaves the original without the description.
  .register(z.globalRegistry, {
    type: "object",
    additionalProperties: { type: "string", pattern: "^[\\t\\x20-\\x7e]*$" },
    maxProperties: 50,
    description:
      "Custom headers, at most 8 KiB together. `Host`, `Content-Length`, hop-by-hop headers and the service's own headers are reserved.",
  })
  .transform((value, context): HeaderPairs => {
    const parsed = parseCustomHeaders(value);
    if (parsed.ok) return parsed.headers;
    for (const { path, message } of parsed.problems) {
      context.addIssue({ code: "custom", message, path: path === "headers" ? [] : [path.slice("headers.".length)] });
    }
    return z.NEVER;
  });

/** The raw text of a target. `validateTarget` judges it. */
export const TargetUrl = text();

/** Where a new request is sent. */
export const TARGET = {
  targetUrl: TargetUrl.meta({
    description:
      "The target URL: https, port 80 or 443, a public address, no credentials, at most 2,048 characters once encoded. With a test key also `https://listen.invalid/<path>`, whose requests go to a connected listener.",
  }),
};

/** What else is sent. */
export const REQUEST = {
  payload: Payload.optional(),
  method: z
    .enum(REQUEST_METHODS, { error: ({ input }) => methodProblem(input) })
    .default("POST")
    .describe("The method of the request."),
  headers: CustomHeaders.default([]),
};

export const EARLY_FIRE = {
  earlyFire: z
    .boolean("must be true or false")
    .optional()
    .describe(
      "Send slightly ahead of its instant, so that the request arrives on time. Defaults to the account's setting.",
    ),
};

const OPTIONS = { ...EARLY_FIRE, delivery: Delivery.describe(DELIVERY) };

/** The body of POST /v1/schedules. Checks syntax only, not time, target or payload size. */
export const CreateInput = z
  .strictObject(
    { ...TARGET, ...TIME_FIELDS, ...REQUEST, idempotencyKey: IdempotencyKey.optional(), ...OPTIONS },
    "must be a JSON object",
  )
  .superRefine(checkOneTime, WHATEVER_ELSE)
  .meta({ id: "NewSchedule", description: "An HTTP request and the instant at which to send it.", ...ONE_TIME });

export type CreateInput = z.infer<typeof CreateInput>;

/** The body of PUT /v1/schedules/by-key/:key. Checks what `CreateInput` checks. */
export const PutInput = z
  .strictObject(
    {
      ...TARGET,
      ...TIME_FIELDS,
      maxDelay: durationInput({
        examples: ["10m"],
        description:
          "With `fireIn`: the time is at most this long after the creation of the schedule, however often it is put off.",
      }).optional(),
      ...REQUEST,
      ...OPTIONS,
    },
    "must be a JSON object",
  )
  .superRefine(checkOneTime, WHATEVER_ELSE)
  .superRefine(({ maxDelay, fireIn }, context) => {
    if (maxDelay === undefined || fireIn !== undefined) return;
    context.addIssue({
      code: "custom",
      path: ["maxDelay"],
      message: 'goes with fireIn, such as "30s", which is missing',
    });
  }, WHATEVER_ELSE)
  .meta({
    id: "ScheduleByKey",
    description: "An HTTP request and the instant at which to send it.",
    ...ONE_TIME,
    dependentRequired: { ...BELONG_TOGETHER.dependentRequired, maxDelay: ["fireIn"] },
  });

export type PutInput = z.infer<typeof PutInput>;

function text(otherwise = "must be a string") {
  return z.string(otherwise);
}

function methodProblem(input: unknown): string {
  const isLowerCase = typeof input === "string" && REQUEST_METHODS.some((method) => method === input.toUpperCase());
  return `must be GET, POST, PUT, PATCH or DELETE${isLowerCase ? ", in capitals" : ""}`;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
