/**
 * Path and query of the local request for a delivery to `path` (its path and query). Where `to` has a path, that replaces
 * the delivery's, and where it has a query, that one too. The host is always that of `to`: what this returns begins with
 * a slash and has no dot segments. Undefined when `path` is none: without a slash in front, or with blanks, control
 * characters, `#` or non-ASCII.
 */
export function forwardPath(to: URL, path: string): string | undefined {
  if (!/^\/[\x21\x22\x24-\x7e]*$/.test(path)) return undefined;
  // Behind an origin and its slash, the parser takes `//host`, `/\host` and `/@host` for paths.
  const asked = new URL(to.origin + path);
  // Not `search`, which leaves out a question mark at the end.
  const [, askedPath = "", askedQuery = ""] = /^([^?]*)(.*)$/.exec(asked.href.slice(to.origin.length)) ?? [];
  return (to.pathname === "/" ? askedPath : to.pathname) + (to.search || askedQuery);
}
