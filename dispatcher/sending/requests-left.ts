/**
 * How many more requests a connection takes by the `Keep-Alive` header of an answer on it (`timeout=5, max=100`); without
 * a `max` any number. Source: RFC 2068, 19.7.1.1, and what servers send by it.
 */
export function requestsLeft(header: string | string[] | undefined): number {
  if (header === undefined) return Number.POSITIVE_INFINITY;
  const limits = [header]
    .flat()
    .join()
    .matchAll(/(?:^|[,;])\s*max\s*=\s*"?(\d+)/gi);
  return Math.min(...Array.from(limits, ([, limit]) => Number(limit)));
}
