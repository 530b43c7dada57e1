import type { z } from "zod";
import { AppError, type ErrorDetail } from "#domain/errors.ts";
import { didYouMean } from "./did-you-mean.ts";

/**
 * What `schema` makes of `value`. Throws VALIDATION with the path of each problem; messages never show a value. A field
 * that is not known is compared with those that are.
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.flatMap((issue) => toDetails(issue, fieldsOf(schema), value)));
}

/** That a field or parameter is not known here, and which one may have been meant. */
export function notKnown(name: string, known: readonly string[]): string {
  const meant = didYouMean(name, known);
  return meant === undefined ? "is not known here" : `is not known here; did you mean ${meant}?`;
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

type Fields = Record<string, z.ZodType>;

function fieldsOf(schema: z.ZodType): Fields {
  return (schema as Partial<z.ZodObject>).shape ?? {};
}

function toDetails(issue: z.core.$ZodIssue, fields: Fields, value: unknown): ErrorDetail[] {
  if (issue.code === "unrecognized_keys") {
    const known = issue.path.length === 0 ? Object.keys(fields) : [];
    return issue.keys.map((key) => ({ path: [...issue.path, key].join("."), message: notKnown(key, known) }));
  }
  return [{ path: issue.path.join("."), message: ofAbsence(issue, fields, value) ?? issue.message }];
}

/** What is said of a field without a value, the same of all of them. */
function ofAbsence({ path }: z.core.$ZodIssue, fields: Fields, value: unknown): string | undefined {
  const [name] = path;
  if (path.length !== 1 || typeof name !== "string" || !Object.hasOwn(fields, name)) return undefined;
  const given = Object.getOwnPropertyDescriptor(value, name)?.value;
  if (given === undefined) return "is required";
  if (given !== null) return undefined;
  return fields[name]?.safeParse(undefined).success ? "must not be null: leave the field out" : "must not be null";
}

// The names in it are the caller's.
function printable(path: string): string {
  return path.slice(0, PATH_LENGTH_MAX).toWellFormed();
}
