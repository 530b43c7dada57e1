/**
 * Whether an address may be a target: IPv4 outside of the special-purpose registry, IPv6 in 2000::/3 less its special
 * blocks. Takes a host as `URL` writes it.
 */
export function isPublicAddress(hostname: string): boolean {
  if (!hostname.startsWith("[")) return !isIn(bitsOf(hostname.split(".").map(Number), 8), SPECIAL_IPV4);
  const groups = groupsOf(hostname.slice(1, -1));
  const bits = bitsOf(groups, 16);
  return bits.startsWith("001") && !isIn(bits, SPECIAL_IPV6);
}

const SPECIAL_IPV4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16"],
  ...["192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
];
const SPECIAL_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3ffe::/16", "3fff::/20"];

function isIn(bits: string, blocks: readonly string[]): boolean {
  return blocks.some((block) => {
    const [base = "", size] = block.split("/");
    const prefix = base.includes(":") ? bitsOf(groupsOf(base), 16) : bitsOf(base.split(".").map(Number), 8);
    return bits.startsWith(prefix.slice(0, Number(size)));
  });
}

/** The eight groups of an IPv6 address, one `::` in it or none. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const read = (part: string) => (part ? part.split(":").map((group) => Number.parseInt(group, 16)) : []);
  if (tail === undefined) return read(head);
  const [before, after] = [read(head), read(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function bitsOf(numbers: readonly number[], size: number): string {
  return numbers.map((number) => number.toString(2).padStart(size, "0")).join("");
}
