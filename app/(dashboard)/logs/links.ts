import { filtersInWords } from "#components/format/filter-words.ts";
import { formatRange } from "#components/format/range.ts";
import { FILTER_NAMES, filtersOf, writeFilters } from "#domain/filters.ts";
import { hrefWith, type View } from "../view.ts";
import type { LogListQuery } from "./list-query.ts";

/** The active filters, each with the address of the log without it. */
export function chipsOf(view: View, { input, range }: LogListQuery): { label: string; removeHref: string }[] {
  const without = (...names: string[]) => logHref(view, Object.fromEntries(names.map((name) => [name, undefined])));
  return [
    ...(input.q ? [{ label: `“${input.q}”`, removeHref: without("q") }] : []),
    ...filtersInWords(writeFilters(filtersOf(input), null)).map(({ name, chip }) => ({
      label: chip,
      removeHref: without(name),
    })),
    ...(input.measured ? [{ label: "First attempts, as the overview counts", removeHref: without("measured") }] : []),
    ...(input.schedule_id ? [{ label: `Only ${view.params.schedule_id}`, removeHref: without("schedule_id") }] : []),
    ...((range.from ?? range.to)
      ? [{ label: formatRange(range, view.zone), removeHref: without("range", "from", "to") }]
      : []),
  ];
}

/** The log with some of its parameters changed, from its first page on. */
export function logHref(view: View, changes: Readonly<Record<string, string | undefined>>): string {
  return hrefWith(view, { page: undefined, after: undefined, ...changes });
}

/** The query that counts newer attempts: the filters, as parameters of the API. */
export function newerHref(view: View, { input }: LogListQuery, since: Date): string {
  const { q, outcome, from, to } = input;
  const narrower = FILTER_NAMES.flatMap((name) => (view.params[name] ? [[name, view.params[name]] as const] : []));
  const query = new URLSearchParams({
    since: since.toISOString(),
    ...(q && { q }),
    ...(outcome && { outcome }),
    ...(input.measured && { measured: "true" }),
    ...Object.fromEntries(narrower),
    ...(input.schedule_id && view.params.schedule_id && { schedule_id: view.params.schedule_id }),
    ...(from && { from: from.toISOString() }),
    ...(to && { to: to.toISOString() }),
    ...(view.env === "test" && { env: "test" }),
  });
  return `/logs/newer?${query}`;
}

/** The links of the sorted column heads. */
export function sortLinks(view: View, { input }: LogListQuery) {
  const direction = "descending" as const;
  const isByLateness = input.sort === "late";
  return {
    sent: { href: logHref(view, { sort: undefined }), ...(!isByLateness && { direction }) },
    late: { href: logHref(view, { sort: isByLateness ? undefined : "late" }), ...(isByLateness && { direction }) },
  };
}
