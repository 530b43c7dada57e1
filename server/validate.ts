import type { z } from "zod";
import { AppError, type ErrorDetail } from "#domain/errors.ts";

/** What `schema` makes of `value`. Throws VALIDATION with the path of each problem; messages never show a value. */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.flatMap(toDetails));
}

/** VALIDATION with these problems; the message sums up the first ones. */
export function invalid(details: ErrorDetail[]): AppError {
  const shown = details.slice(0, DETAILS_MAX).map(({ path, message }) => ({ path: printable(path), message }));
  const message = shown
    .slice(0, 3)
    .map((detail) => `${detail.path} ${detail.message}`.trim())
    .join("; ");
  return new AppError("VALIDATION", details.length > 3 ? `${message}; and more` : message, { details: shown });
}

const DETAILS_MAX = 20;
const PATH_LENGTH_MAX = 300;

function toDetails(issue: z.core.$ZodIssue): ErrorDetail[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...issue.path, key].join("."), message: "is not known here" }));
  }
  return [{ path: issue.path.join("."), message: issue.message }];
}

// The names in it are the caller's.
function printable(path: string): string {
  return path.slice(0, PATH_LENGTH_MAX).toWellFormed();
}
