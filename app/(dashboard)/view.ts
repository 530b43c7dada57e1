import type { Times } from "#components/layout/times.ts";
import type { Environment } from "#domain/environment.ts";
import type { Flash } from "#server/http/flash-cookie.ts";
import { type PageQuery, pageUrl } from "#server/http/page-url.ts";

/** The settings of a dashboard page, from its address and from cookies. */
export type View = {
  /** The path of the page, without its query. */
  path: string;
  /** Parameters that were given once and are not empty. */
  params: Readonly<Record<string, string | undefined>>;
  env: Environment;
  times: Times;
  /** The browser's zone, an IANA name; undefined until a script has stored it. */
  browserZone: string | undefined;
  /** The zone that instants are shown in: UTC, or the browser's. */
  zone: string;
  /** Flash message of the form that redirected here; undefined once shown. */
  flash: Flash | undefined;
  /** When the page was rendered. */
  now: Date;
};

/** An address of the dashboard in the environment of `env`, with the parameters of `query` that are given. */
export function hrefIn(env: Environment, path: string, query: PageQuery = {}): string {
  return pageUrl(path, env, query);
}

/** The address of this page with some of its parameters changed; undefined takes one out. */
export function hrefWith(view: View, changes: Readonly<Record<string, string | undefined>>): string {
  return hrefIn(view.env, view.path, { ...view.params, ...changes });
}
