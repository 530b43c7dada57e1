import { z } from "zod";
import { parseInstant } from "#domain/instant.ts";
import { describeInstantProblem } from "#domain/instant-problem.ts";
import { type Cursor, readCursor } from "./cursor.ts";

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
    .default(20)
    .meta({
      type: "integer",
      pattern: undefined,
      minimum: 1,
      description: `20 unless it is given; cut to ${LIMIT_MAX}.`,
    }),
  offset: z
    .string()
    .regex(/^(0|[1-9]\d*)$/, "must be an integer from 0")
    .transform(Number)
    .refine((offset) => offset <= OFFSET_MAX, `must be at most ${OFFSET_MAX}`)
    .default(0)
    .meta({
      type: "integer",
      pattern: undefined,
      minimum: 0,
      maximum: OFFSET_MAX,
      description: 'How many rows to pass over. Further on, follow `rel="next"` of `Link`.',
    }),
  after: z
    .string()
    .transform((text, context) => {
      const cursor = readCursor(text);
      if (cursor !== null) return cursor;
      context.addIssue('must be taken from a rel="next" link as it is');
      return z.NEVER;
    })
    .optional()
    .meta({
      description:
        'Where to go on, instead of `offset`: an opaque text that `rel="next"` of `Link` holds where `offset` can go no further.',
    }),
  q: z
    .string()
    .refine((text) => !text.includes("\0"), "must not contain NUL")
    .refine((text) => [...text].length <= Q_LENGTH_MAX, `must be at most ${Q_LENGTH_MAX} characters`)
    .optional()
    .meta({
      minLength: 1,
      maxLength: Q_LENGTH_MAX,
      description:
        "Part of the target's address, in any letter case, or a whole schedule id. Below three characters the newest 10,000 rows are looked at.",
    }),
  from: instantParameter().optional().describe("From this instant on."),
  to: instantParameter().optional().describe("Up to this instant, without it."),
};

/** Reports an `after` that is of a list sorted in another way than by `order`, or that comes together with an offset. */
export function validateAfter(
  { after, offset }: { after?: Cursor | undefined; offset: number },
  order: string,
  context: z.RefinementCtx,
): void {
  if (after === undefined) return;
  const problem = (message: string) => context.addIssue({ code: "custom", path: ["after"], message });
  if (after.order !== order) problem("belongs to another list, or to this one in another order");
  if (offset > 0) problem("must not be given together with offset");
}

function instantParameter() {
  return z
    .string()
    .meta({ format: "date-time" })
    .transform((text, context) => {
      const epochMs = parseInstant(text);
      if (epochMs !== null) return new Date(epochMs);
      context.addIssue(describeInstantProblem(text));
      return z.NEVER;
    });
}
