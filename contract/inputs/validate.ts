import type { z } from "zod";
import { didYouMean } from "#domain/did-you-mean.ts";
import { AppError, type ErrorDetail } from "#domain/errors.ts";

/**
 * Parses `value` by `schema`. Throws VALIDATION with the paths of the first 20 problems. Messages never contain a value, and for an
 * unknown field they suggest a known one.
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(firstDetails(parsed.error.issues, fieldsOf(schema), value));
}

/** The message for an unknown field or parameter, with a suggestion if one of `known` is similar. */
export function unknownNameMessage(name: string, known: readonly string[]): string {
  const suggestion = didYouMean(name, known);
  return suggestion === undefined ? "is unknown" : `is unknown; did you mean ${suggestion}?`;
}

/** A VALIDATION error with these details; its message contains the first three. */
export function invalid(details: ErrorDetail[]): AppError {
  const shown = details.slice(0, DETAILS_MAX).map(({ path, message }) => ({ path: printable(path), message }));
  const message = shown
    .slice(0, 3)
    .map((detail) => `${detail.path} ${detail.message}`.trim())
    .join("; ");
  return new AppError("VALIDATION", details.length > 3 ? `${message}; and more` : message, { details: shown });
}

/** Problems that an answer names at most. */
export const DETAILS_MAX = 20;
const PATH_LENGTH_MAX = 300;

type Fields = Record<string, z.ZodType>;

function fieldsOf(schema: z.ZodType): Fields {
  return (schema as Partial<z.ZodObject>).shape ?? {};
}

function firstDetails(issues: readonly z.core.$ZodIssue[], fields: Fields, value: unknown): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  for (const issue of issues) {
    for (const detail of toDetails(issue, fields, value)) {
      if (details.length === DETAILS_MAX) return details;
      details.push(detail);
    }
  }
  return details;
}

// A generator: describing a name costs microseconds, and an object may have thousands of unknown ones.
function* toDetails(issue: z.core.$ZodIssue, fields: Fields, value: unknown): Generator<ErrorDetail> {
  if (issue.code === "unrecognized_keys") {
    const known = issue.path.length === 0 ? Object.keys(fields) : [];
    for (const key of issue.keys) {
      yield { path: [...issue.path, key].join("."), message: unknownNameMessage(key, known) };
    }
    return;
  }
  yield { path: issue.path.join("."), message: missingValueMessage(issue, fields, value) ?? issue.message };
}

/** The message for a missing or null top-level field; undefined when it has a value, or may be missing. */
function missingValueMessage({ path }: z.core.$ZodIssue, fields: Fields, value: unknown): string | undefined {
  const [name] = path;
  if (path.length !== 1 || typeof name !== "string" || !Object.hasOwn(fields, name)) return undefined;
  const fieldValue = Object.getOwnPropertyDescriptor(value, name)?.value;
  if (fieldValue !== undefined && fieldValue !== null) return undefined;
  const isOptional = fields[name]?.safeParse(undefined).success;
  if (fieldValue === undefined) return isOptional ? undefined : "is required";
  return isOptional ? "must not be null: leave the field out" : "must not be null";
}

// The path contains names that the caller sent.
function printable(path: string): string {
  return path.slice(0, PATH_LENGTH_MAX).toWellFormed();
}
