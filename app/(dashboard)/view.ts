import type { Times } from "#components/layout/times.ts";
import type { Environment } from "#domain/environment.ts";
import type { Done } from "#server/http/done-cookie.ts";

/** How a page of the dashboard is looked at: from its address, and from cookies. */
export type View = {
  /** Of the page, without its query. */
  path: string;
  /** Parameters that were given once and are not empty. */
  params: Readonly<Record<string, string | undefined>>;
  env: Environment;
  times: Times;
  /** The browser's zone, an IANA name; undefined until a script has stored it. */
  browserZone: string | undefined;
  /** The zone that instants are shown in: UTC, or the browser's. */
  zone: string;
  /** What the form did that led here, if it was not said before. */
  done: Done | undefined;
  /** When the page was made. */
  now: Date;
};

/** An address of the dashboard in the environment of `env`, with the parameters of `query` that are given. */
export function hrefIn(
  env: Environment,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = new URLSearchParams(given.filter(([name]) => name !== "env"));
  if (env === "test") search.set("env", "test");
  return search.size > 0 ? `${path}?${search}` : path;
}

/** The address of this page with some of its parameters changed; undefined takes one out. */
export function hrefWith(view: View, changes: Readonly<Record<string, string | undefined>>): string {
  return hrefIn(view.env, view.path, { ...view.params, ...changes });
}
