import { CODE_CLASSES, parseCode } from "./answer-code.ts";
import type { Filters } from "./filter-values.ts";
import { decodeId, encodeId } from "./ids.ts";
import { parseLateRange, writeLateRange } from "./late-range.ts";
import { searchedHost } from "./searched-host.ts";

type Filter<Field extends keyof Filters> = {
  /** Its name in `Filters`. */
  field: Field;
  /** Reads the text of a parameter. Null or undefined for text that is not valid. */
  read(text: string): Filters[Field] | null;
  /** The text that `read` reads. */
  write(value: NonNullable<Filters[Field]>): string;
  /** What the text must be, in an error message of the API, and how a page asks for it. */
  must: string;
  ask: string;
};

const filter = <Field extends keyof Filters>(one: Filter<Field>) => one;

/** Each filter by the name of its parameter: what is here is all that differs between them, but for SQL and words. */
export const FILTERS = {
  late: filter({
    field: "late",
    read: parseLateRange,
    write: writeLateRange,
    must: "must be a range of whole milliseconds, such as 250.., ..0 or 100..500",
    ask: "Give how late in whole milliseconds, such as 250.. or 100..500.",
  }),
  host: filter({
    field: "host",
    read: searchedHost,
    write: (host) => host,
    must: "must be the host of a target, such as api.example.com",
    ask: "Give the whole host of a target, such as api.example.com.",
  }),
  code: filter({
    field: "code",
    read: (text) => (parseCode(text) === undefined ? undefined : text),
    write: (code) => code,
    must: `must be a status code such as 503, or one of ${CODE_CLASSES.join(", ")}`,
    ask: "Give a status code such as 503, a class such as 5xx, or none.",
  }),
  idempotency_key: filter({
    field: "idempotencyKey",
    read: (text) => text,
    write: (key) => key,
    must: "must have 1 to 255 characters",
    ask: "An idempotency key has 1 to 255 characters.",
  }),
  operation: filter({
    field: "operationId",
    read: (text) => decodeId("op", text),
    write: (id) => encodeId("op", id),
    must: "must be the id of an operation, such as op_01kbm5qk4f8rz3c2x7w9v6n1ta",
    ask: "That operation does not exist.",
  }),
  recurrence: filter({
    field: "recurrence",
    read: (text) => text,
    write: (key) => key,
    must: "must have 1 to 255 characters",
    ask: "The key of a recurrence has 1 to 255 characters.",
  }),
};

export type FilterName = keyof typeof FILTERS;

export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];

/** The values of filters by their parameters' names. */
export type NamedFilters = { [Name in FilterName]?: Filters[(typeof FILTERS)[Name]["field"]] };

/** The filters of an input, and nothing else of it. */
export function filtersOf(input: NamedFilters): Filters {
  return Object.fromEntries(FILTER_NAMES.map((name) => [FILTERS[name].field, input[name]]));
}

/** The texts of filters by their parameters' names; `absent` where there is none. */
export function writeFilters<Absent extends null | undefined>(filters: Filters, absent: Absent) {
  const texts = FILTER_NAMES.map((name) => {
    const { field, write } = FILTERS[name] as Filter<keyof Filters>;
    const value = filters[field];
    return [name, value === undefined ? absent : write(value)];
  });
  return Object.fromEntries(texts) as Record<FilterName, string | Absent>;
}

/** Whether there is a filter at all. */
export function hasFilters(filters: Filters): boolean {
  return FILTER_NAMES.some((name) => filters[FILTERS[name].field] !== undefined);
}
