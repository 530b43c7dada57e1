import { hrefWith, type View } from "../view.ts";
import { CODE_NAMES, type LogListQuery, RANGES } from "./list-query.ts";

/** The active filters, each with the address of the log without it. */
export function chipsOf(view: View, { input, range }: LogListQuery): { label: string; removeHref: string }[] {
  const without = (...names: string[]) => logHref(view, Object.fromEntries(names.map((name) => [name, undefined])));
  const { from, to } = view.params;
  const written = (text: string | undefined) => text?.replace("T", ", ");
  const between = [from && `from ${written(from)}`, to && `before ${written(to)}`].filter(Boolean).join(" ");
  return [
    ...(input.q ? [{ label: `“${input.q}”`, removeHref: without("q") }] : []),
    ...(input.code ? [{ label: `Code: ${CODE_NAMES[input.code]}`, removeHref: without("code") }] : []),
    ...(input.schedule_id ? [{ label: `Only ${view.params.schedule_id}`, removeHref: without("schedule_id") }] : []),
    ...(range && (range !== "between" || between)
      ? [
          {
            label: range === "between" ? `${between} ${view.zone}` : RANGES[range],
            removeHref: without("range", "from", "to"),
          },
        ]
      : []),
  ];
}

/** The log with some of its parameters changed, from its first page on. */
export function logHref(view: View, changes: Readonly<Record<string, string | undefined>>): string {
  return hrefWith(view, { page: undefined, after: undefined, ...changes });
}

/** The query that counts newer attempts: the filters, as parameters of the API. */
export function newerHref(view: View, { input }: LogListQuery, since: Date): string {
  const { q, outcome, code, from, to } = input;
  const query = new URLSearchParams({
    since: since.toISOString(),
    ...(q && { q }),
    ...(outcome && { outcome }),
    ...(code && { code }),
    ...(input.schedule_id && view.params.schedule_id && { schedule_id: view.params.schedule_id }),
    ...(from && { from: from.toISOString() }),
    ...(to && { to: to.toISOString() }),
    ...(view.env === "test" && { env: "test" }),
  });
  return `/logs/newer?${query}`;
}
