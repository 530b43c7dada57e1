import { z } from "zod";
import { parseCustomHeaders } from "#domain/headers.ts";
import { parseInstant } from "#domain/instant.ts";
import type { HeaderPairs } from "#domain/sealed-request.ts";

/** 1 to 255 characters, counted as code points, as the table does; NUL and lone surrogates cannot be stored. */
export const IdempotencyKey = text()
  .refine((key) => key.isWellFormed(), "must be well-formed text")
  .refine((key) => !key.includes("\0"), "must not contain NUL")
  .refine((key) => key.length > 0 && key.length <= 510 && [...key].length <= 255, "must have 1 to 255 characters");

/** An instant as callers write it; epoch milliseconds, rounded up. Whether it is in the future is judged later. */
export const FireAt = text().transform((written, context) => {
  const epochMs = parseInstant(written);
  if (epochMs !== null) return epochMs;
  context.addIssue("must be an RFC 3339 instant with an offset, such as 2031-01-01T09:00:00Z");
  return z.NEVER;
});

const Payload = text().refine((payload) => payload.isWellFormed(), "must be well-formed text");

// No z.record: it drops a header that is called __proto__.
const CustomHeaders = z
  .custom<Record<string, string>>(isObject, "must be an object of strings")
  .transform((value, context): HeaderPairs => {
    const parsed = parseCustomHeaders(value);
    if (parsed.ok) return parsed.headers;
    for (const { path, message } of parsed.problems) {
      context.addIssue({ code: "custom", message, path: path === "headers" ? [] : [path.slice("headers.".length)] });
    }
    return z.NEVER;
  });

/** The body of POST /v1/schedules. It judges syntax alone: not the time, the target or the payload's size. */
export const CreateInput = z.strictObject({
  targetUrl: text(),
  fireAt: FireAt,
  payload: Payload.optional(),
  method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"], "must be GET, POST, PUT, PATCH or DELETE").default("POST"),
  headers: CustomHeaders.default([]),
  idempotencyKey: IdempotencyKey.optional(),
  earlyFire: z.boolean("must be true or false").optional(),
});

export type CreateInput = z.infer<typeof CreateInput>;

function text() {
  return z.string({ error: ({ input }) => (input === undefined ? "is required" : "must be a string") });
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
