import type { z } from "zod";
import { parseLocalTime } from "#domain/local-time.ts";
import { firstInstantOf, resolveLocalTime } from "#domain/zoned-time.ts";

type Params = Readonly<Record<string, string | undefined>>;

/** The current time, and the IANA zone of local times in an address. */
export type ListClock = { now: Date; zone: string };

/** What differs between the lists whose address `readListQuery` reads. */
export type ListQueryRules<Input, Preset extends string> = {
  /** The query of the list in the API. It validates the filters. */
  schema: z.ZodType<Input>;
  /** The parameters that page and API have in common, besides `q`, `from` and `to`. */
  filters: readonly string[];
  /** The parameter that names the range: one of `presets`, or `between` for the bounds `from` and `to`. */
  rangeName: string;
  presets: Record<Preset, (clock: ListClock) => { from?: Date; to?: Date }>;
  /** Whether `from` and `to` apply when no range is named. */
  isBetweenByDefault?: boolean;
  rowsPerPage: number;
  /** The last page that has a number. */
  pagesMax: number;
};

/** The address of a list as its page understands it. */
export type ListQuery<Input, Preset> = {
  input: Input;
  page: number;
  range: Preset | "between" | undefined;
  /** The names of parameters that are not valid. They are left out of `input`, and the page is the first one. */
  invalid: string[];
};

/** Reads the parameters of a list's address. Instants are RFC 3339, or local times in the zone of `clock`. */
export function readListQuery<Input, Preset extends string>(
  rules: ListQueryRules<Input, Preset>,
  params: Params,
  clock: ListClock,
): ListQuery<Input, Preset> {
  const range = readRange(rules, params);
  const bounds =
    range === undefined ? {} : range === "between" ? readBounds(params, clock) : preset(rules, range, clock);
  const filters = Object.fromEntries(rules.filters.map((name) => [name, params[name]]));
  const given: Params = { ...filters, ...bounds, q: params.q?.trim() || undefined };
  const page = readPageNumber(params.page, rules.pagesMax);
  const limit = String(rules.rowsPerPage);
  const offset = given.after === undefined ? { offset: String((page - 1) * rules.rowsPerPage) } : {};
  const { input, invalid } = readValid(rules.schema, given, { limit, ...offset });
  if (range === undefined && params[rules.rangeName] !== undefined) invalid.push(rules.rangeName);
  return { input, page: invalid.length > 0 ? 1 : page, range, invalid };
}

/** The number of a page: at most `pagesMax`, and 1 for any text that is not a number from 1. */
export function readPageNumber(text: string | undefined, pagesMax: number): number {
  return /^[1-9]\d*$/.test(text ?? "") ? Math.min(Number(text), pagesMax) : 1;
}

function readRange<Preset extends string>(
  { rangeName, presets, isBetweenByDefault }: ListQueryRules<unknown, Preset>,
  params: Params,
): Preset | "between" | undefined {
  const name = params[rangeName];
  if (name === undefined) return isBetweenByDefault && (params.from ?? params.to) !== undefined ? "between" : undefined;
  return name === "between" || Object.hasOwn(presets, name) ? (name as Preset | "between") : undefined;
}

function preset<Preset extends string>(
  { presets }: ListQueryRules<unknown, Preset>,
  name: Preset,
  clock: ListClock,
): Params {
  const { from, to } = presets[name](clock);
  return { from: from?.toISOString(), to: to?.toISOString() };
}

function readBounds({ from, to }: Params, { zone }: ListClock): Params {
  return { from: from && toRfc3339(from, zone), to: to && toRfc3339(to, zone) };
}

/** A local time in `zone` as RFC 3339. Other text is returned unchanged and fails validation unless it is RFC 3339. */
function toRfc3339(text: string, zone: string): string {
  const local = parseLocalTime(text);
  if (local === null) return text;
  return new Date(firstInstantOf(resolveLocalTime(local, zone))).toISOString();
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
