import { FILTER_NAMES } from "#domain/filters.ts";
import { hrefIn, type View } from "./view.ts";

/** The address of the other list, of schedules or the log, with the filters that both have. */
export function sameFiltersHref({ env, params }: View, path: "/schedules" | "/logs"): string {
  const { q, range, from, to } = params;
  const narrower = Object.fromEntries(FILTER_NAMES.map((name) => [name, params[name]]));
  return hrefIn(env, path, { q, ...narrower, range, from, to });
}
