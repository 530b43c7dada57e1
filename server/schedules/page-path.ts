import { type Environment, environmentQuery } from "#domain/environment.ts";

/** The path of a page below /schedules, such as that of a schedule (`sch_…`), with `query` and the environment. */
export function schedulePagePath(path: string, env: Environment, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams({ ...query, ...environmentQuery(env) });
  return `/schedules/${path}${search.size > 0 ? `?${search}` : ""}`;
}
