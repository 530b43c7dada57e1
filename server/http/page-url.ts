import { type Environment, environmentQuery } from "#domain/environment.ts";

export type PageQuery = Readonly<Record<string, string | undefined>>;

/** The address of a page in an environment, with the parameters of `query` that are neither undefined nor empty. */
export function pageUrl(path: string, env: Environment, query: PageQuery = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = new URLSearchParams(given.filter(([name]) => name !== "env"));
  for (const [name, value] of Object.entries(environmentQuery(env))) search.set(name, value);
  return search.size > 0 ? `${path}?${search}` : path;
}

/** `url`, a path of this service, with one parameter changed. */
export function withParameter(url: string, name: string, value: string): string {
  const [path = "", search = ""] = url.split("?", 2);
  const query = new URLSearchParams(search);
  query.set(name, value);
  return `${path}?${query}`;
}
