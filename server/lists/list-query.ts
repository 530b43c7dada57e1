import type { z } from "zod";
import type { RangeClock } from "#domain/range-point.ts";
import { type RangeQuery, readRangeQuery } from "./range-query.ts";

type Params = Readonly<Record<string, string | undefined>>;

/** The current time, and the IANA zone of local times in an address. */
export type ListClock = { now: Date; zone: string };

/** What differs between the lists whose address `readListQuery` reads. */
export type ListQueryRules<Input> = {
  /** The query of the list in the API. It validates the filters. */
  schema: z.ZodType<Input>;
  /** The parameters that page and API have in common, besides `q`, `from` and `to`. */
  filters: readonly string[];
  /** On which side of now the list mostly is: a range without a year is there. */
  lean: RangeClock["lean"];
  rowsPerPage: number;
  /** The last page that has a number. */
  pagesMax: number;
};

/** The address of a list as its page understands it. */
export type ListQuery<Input> = {
  input: Input;
  page: number;
  range: RangeQuery;
  /** The names of parameters that are not valid. They are left out of `input`, and the page is the first one. */
  invalid: string[];
};

/** Reads the parameters of a list's address. */
export function readListQuery<Input>(rules: ListQueryRules<Input>, params: Params, clock: ListClock): ListQuery<Input> {
  const range = readRangeQuery(params, { nowMs: clock.now.getTime(), zone: clock.zone, lean: rules.lean });
  const filters = Object.fromEntries(rules.filters.map((name) => [name, params[name]]));
  const bounds = { from: range.from?.toISOString(), to: range.to?.toISOString() };
  const given: Params = { ...filters, ...bounds, q: params.q?.trim() || undefined };
  const page = readPageNumber(params.page, rules.pagesMax);
  const limit = String(rules.rowsPerPage);
  const offset = given.after === undefined ? { offset: String((page - 1) * rules.rowsPerPage) } : {};
  const { input, invalid } = readValid(rules.schema, given, { limit, ...offset });
  if (range.problem !== undefined) invalid.push("range");
  return { input, page: invalid.length > 0 ? 1 : page, range, invalid };
}

/** The number of a page: at most `pagesMax`, and 1 for any text that is not a number from 1. */
export function readPageNumber(text: string | undefined, pagesMax: number): number {
  return /^[1-9]\d*$/.test(text ?? "") ? Math.min(Number(text), pagesMax) : 1;
}

function readValid<Input>(
  schema: z.ZodType<Input>,
  given: Params,
  paging: { limit: string; offset?: string },
): { input: Input; invalid: string[] } {
  const parsed = schema.safeParse({ ...given, ...paging });
  if (parsed.success) return { input: parsed.data, invalid: [] };
  const invalid = [...new Set(parsed.error.issues.map(({ path }) => String(path[0])))];
  if (!invalid.some((name) => given[name] !== undefined)) throw parsed.error;
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !invalid.includes(name)));
  // Rules across parameters run only when each parameter is valid, so the rest may have further problems.
  const read = readValid(schema, rest, { limit: paging.limit });
  return { input: read.input, invalid: [...invalid, ...read.invalid] };
}
