import { z } from "zod";
import { parseInstant } from "#domain/instant.ts";
import { describeInstantProblem } from "#domain/instant-problem.ts";
import { type Cursor, readCursor } from "./cursor.ts";
import { filterDigest } from "./filter-digest.ts";

/** Maximum `offset` of any list; deeper pages are reached by cursor. */
export const OFFSET_MAX = 10_000;

const LIMIT_MAX = 100;
const Q_LENGTH_MAX = 200;

/** Query parameters of every list. `limit` above 100 is reduced to 100. */
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
      description: `Rows per page. Default 20; values above ${LIMIT_MAX} are reduced to ${LIMIT_MAX}.`,
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
      description: "Rows to skip. For deeper pages, and for rows that are created meanwhile, use `after`.",
    }),
  after: z
    .string()
    .transform((text, context) => {
      const cursor = readCursor(text);
      if (cursor !== null) return cursor;
      context.addIssue('must be copied unchanged from next_cursor or a rel="next" link');
      return z.NEVER;
    })
    .optional()
    .meta({
      description:
        "The `next_cursor` of the page before, in place of `offset`. Opaque; the filters and the sort order must be those of that page.",
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
        "Part of the target URL as it was typed or as it is sent, case-insensitive, or a complete schedule id. With fewer than three characters only the newest 10,000 rows are searched.",
    }),
  from: instantParameter().optional().describe("Start of the time range, inclusive."),
  to: instantParameter().optional().describe("End of the time range, exclusive."),
};

/**
 * Adds an issue when `after` is a cursor of another sort order than `order` or of other filters than the rest of `query`, or
 * when `offset` is given too. `comparesFilters` is false where cursors name no filters.
 */
export function validateAfter(
  query: { after?: Cursor | undefined; offset: number },
  order: string,
  context: z.RefinementCtx,
  { comparesFilters = true } = {},
): void {
  const { after, offset } = query;
  if (after === undefined) return;
  const problem = (message: string) => context.addIssue({ code: "custom", path: ["after"], message });
  if (after.order !== order) problem("belongs to another list or another sort order");
  else if (comparesFilters && after.filter !== filterDigest(query)) problem("belongs to other filters");
  if (offset > 0) problem("cannot be combined with offset");
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
