import { z } from "zod";
import { decodeId } from "#domain/ids.ts";
import { LISTENER_SCOPES } from "#domain/listeners.ts";
import { readPathPrefix } from "#domain/path-prefix.ts";

const PATHS_MAX = 5;
const ANSWER_BODY_BYTES_MAX = 8 * 1024;

const ListenerIdInput = z
  .string("must be the id of a listener")
  .transform((text, context) => {
    const id = decodeId("lsn", text);
    if (id !== null) return id;
    context.addIssue("must be the id of a listener");
    return z.NEVER;
  })
  .meta({ pattern: "^lsn_[0-7][0-9a-hjkmnp-tv-z]{25}$" });

const PathInput = z.string().transform((text, context) => {
  const read = readPathPrefix(text);
  if ("prefix" in read) return read.prefix;
  context.addIssue(read.problem);
  return z.NEVER;
});

/** The parameters of GET /v1/listen. */
export const ListenInput = z.strictObject({
  scope: z
    .enum(LISTENER_SCOPES, `must be ${LISTENER_SCOPES.join(" or ")}`)
    .default("reserved")
    .describe(
      "`reserved`: deliveries to `https://listen.invalid/`. `all`: every test delivery of the account, in place of its target; the account must have `testDeliveriesToListeners` on.",
    ),
  path: z
    .array(PathInput, "must be given as path=/…")
    .max(PATHS_MAX, `must be given at most ${PATHS_MAX} times`)
    .default([])
    .describe(
      "Only deliveries whose path begins so; given several times, any of them. A listener with a prefix of a path goes before one without any.",
    ),
  listener: ListenerIdInput.optional().describe(
    "Resumes this listener, with its deliveries that have no answer. A stream of it that is still open ends. One that is unknown is a new listener.",
  ),
});

export type ListenInput = z.infer<typeof ListenInput>;

/** The body of POST /v1/listen/:id/answer: what the local server answered, or why it did not. */
export const AnswerInput = z
  .strictObject(
    {
      listener: ListenerIdInput.describe("The listener that got the delivery."),
      status: z
        .int("must be a status from 200 to 999")
        .min(200, "must be a status from 200 to 999")
        .max(999, "must be a status from 200 to 999")
        .optional()
        .describe("The final status of the answer."),
      retry_after: text()
        .max(256, "must have at most 256 characters")
        .optional()
        .describe("The value of its `Retry-After`."),
      body: text()
        .refine(
          (body) => new TextEncoder().encode(body).length <= ANSWER_BODY_BYTES_MAX,
          `must have at most ${ANSWER_BODY_BYTES_MAX} bytes`,
        )
        .optional()
        .describe("The beginning of its body, at most 8 KiB of UTF-8. It is what `error_text` is made of."),
      latency_ms: z
        .int("must be a whole number of milliseconds")
        .min(0, "must be a whole number of milliseconds")
        .max(3_600_000, "must be at most an hour")
        .optional()
        .describe("How long the local server took, ms."),
      error: text()
        .min(1, "must not be empty")
        .max(1_024, "must have at most 1024 characters")
        .optional()
        .describe("Why there is no answer, such as `ECONNREFUSED`."),
    },
    "must be a JSON object",
  )
  .superRefine(({ status, retry_after, body, latency_ms, error }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    if (status === undefined && error === undefined) refuse("status", "or error is required");
    if (status !== undefined && error !== undefined) refuse("error", "must not be given together with status");
    if (status !== undefined && latency_ms === undefined) refuse("latency_ms", "is required with status");
    if (error === undefined || status !== undefined) return;
    for (const [name, value] of Object.entries({ retry_after, body, latency_ms })) {
      if (value !== undefined) refuse(name, "must not be given together with error");
    }
  })
  .meta({ description: "Either `status` and `latency_ms`, or `error`." });

export type AnswerInput = z.infer<typeof AnswerInput>;

function text() {
  return z.string("must be a string").refine((value) => value.isWellFormed(), "must be well-formed text");
}
