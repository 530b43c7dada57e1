import type { ErrorDetail } from "../error.ts";
import { isWellFormed, refuse } from "./refusal.ts";

/** Reports a problem of a field, or of `below` in it. */
type Report = (message: string, below?: string | number) => void;

/** Reads the value of a field; undefined when it is missing, or a problem was reported. */
export type Field<T> = (value: unknown, report: Report) => T | undefined;

/** How the fields of a body are read. */
export type Fields<Body> = { readonly [Name in keyof Body]-?: Field<Exclude<Body[Name], undefined>> };

/** Reports a problem of a whole body. */
export type AddProblem = (path: string, message: string) => void;

/**
 * Reads an object of these fields and no others. `also` checks how the fields go together, even if some are wrong;
 * `isRead` tells that each could be read. Throws VALIDATION.
 */
export function readFields<Body>(
  value: unknown,
  fields: Fields<Body>,
  also?: (body: { [name: string]: unknown }, add: AddProblem, isRead: boolean) => void,
): Body {
  const problems: ErrorDetail[] = [];
  const add: AddProblem = (path, message) => problems.push({ path, message });
  const result = collect(value, fields, (message, below) => add(`${below ?? ""}`, message));
  if (isObject(value)) also?.(value, add, result !== undefined);
  if (problems.length) throw refuse(problems);
  return result as Body;
}

/** Within a body: an object of these fields and no others. */
export function objectOf<Body>(fields: Fields<Body>): Field<Body> {
  return (value, report) => collect(value, fields, report);
}

/** Undefined when one of the fields could not be read. */
function collect<Body>(value: unknown, fields: Fields<Body>, report: Report): Body | undefined {
  if (!isObject(value)) return void report("must be a JSON object");
  const result: { [name: string]: unknown } = {};
  let isRead = true;
  for (const [name, field] of Object.entries<Field<unknown>>(fields)) {
    let isGood = true;
    result[name] = field(value[name], (message, below) => {
      isGood = false;
      report(message, below === undefined ? name : `${name}.${below}`);
    });
    isRead &&= isGood || result[name] !== undefined;
  }
  for (const name of Object.keys(value)) if (!Object.hasOwn(fields, name)) report("is unknown", name);
  return isRead ? (result as Body) : undefined;
}

export function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function optional<T>(field: Field<T>): Field<T> {
  return (value, report) => (value === undefined ? undefined : field(value, report));
}

export const text: Field<string> = (value, report) =>
  typeof value === "string" ? value : void report(value === undefined ? "is required" : "must be a string");

export const flag: Field<boolean> = (value, report) =>
  typeof value === "boolean" ? value : void report("must be true or false");

export function oneOf<T extends string>(...names: readonly T[]): Field<T> {
  return (value, report) => names.find((name) => name === value) ?? void report(`must be one of ${names.join(", ")}`);
}

/** Text that `parse` reads; it returns null for what it does not. */
export function parsed<T>(parse: (written: string) => T | null, expected: string): Field<T> {
  return (value, report) => {
    const written = text(value, report);
    if (written === undefined) return undefined;
    return parse(written) ?? void report(`must be ${expected}`);
  };
}

export function listOf<T>(field: Field<T>, max: number): Field<T[]> {
  return (value, report) => {
    if (!Array.isArray(value)) return void report("must be an array");
    if (!value.length) report("must have at least one element");
    if (value.length > max) report(`must have at most ${max} elements`);
    const items = value.map((item, index) => field(item, (message) => report(message, index)));
    return items.every((item) => item !== undefined) ? items : undefined;
  };
}

export const idempotencyKey: Field<string> = (value, report) => {
  const key = text(value, report);
  if (key === undefined) return undefined;
  if (!isWellFormed(key)) report("must be well-formed text");
  if (key.includes("\0")) report("must not contain NUL");
  if (!key || [...key].length > 255) report("must have 1 to 255 characters");
  return key;
};

export const payload: Field<string> = (value, report) => {
  const written = text(value, report);
  if (written !== undefined && !isWellFormed(written)) report("must be well-formed text");
  return written;
};
