import { z } from "zod";
import { parseInstant } from "#domain/instant.ts";

/** Highest `offset` of any list. */
export const OFFSET_MAX = 10_000;

const LIMIT_MAX = 100;
const Q_LENGTH_MAX = 200;

/** The parameters every list takes. `limit` above 100 is cut to 100. */
export const listParameters = {
  limit: z
    .string()
    .regex(/^[1-9]\d*$/, "must be an integer from 1")
    .transform((digits) => Math.min(Number(digits), LIMIT_MAX))
    .default(20),
  offset: z
    .string()
    .regex(/^(0|[1-9]\d*)$/, "must be an integer from 0")
    .transform(Number)
    .refine((offset) => offset <= OFFSET_MAX, `must be at most ${OFFSET_MAX}`)
    .default(0),
  q: z
    .string()
    .refine((text) => !text.includes("\0"), "must not contain NUL")
    .refine((text) => [...text].length <= Q_LENGTH_MAX, `must be at most ${Q_LENGTH_MAX} characters`)
    .optional(),
  from: instantParameter().optional(),
  to: instantParameter().optional(),
};

function instantParameter() {
  return z.string().transform((text, context) => {
    const epochMs = parseInstant(text);
    if (epochMs !== null) return new Date(epochMs);
    context.addIssue("must be an RFC 3339 instant with an offset, its + written as %2B");
    return z.NEVER;
  });
}
