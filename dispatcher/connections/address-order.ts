import net from "node:net";

/** How many addresses of a target are tried. Fixed by docs/retries.md. */
const TRIED_MAX = 8;

/**
 * The order in which the addresses of a target are tried, at most eight of them: the two families in turns, beginning with that
 * of the first address, and each family in its own order. Source: RFC 8305, section 4.
 */
export function orderOfTries(addresses: readonly string[]): string[] {
  const all = [...new Set(addresses)];
  const isOfFirst = (address: string) => net.isIPv6(address) === net.isIPv6(all[0] ?? "");
  const first = all.filter(isOfFirst);
  const other = all.filter((address) => !isOfFirst(address));
  return Array.from({ length: Math.max(first.length, other.length) }, (_, n) => [first[n], other[n]])
    .flat()
    .filter((address) => address !== undefined)
    .slice(0, TRIED_MAX);
}
