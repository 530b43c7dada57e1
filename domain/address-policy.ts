import ipaddr from "ipaddr.js";

/** A block of addresses: its base address and the length of its prefix in bits. */
export type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Whether an address may be connected to: a public IPv4 outside every block of the IANA IPv4 Special-Purpose
 * Address Registry (the globally reachable ones included), multicast and Azure's 168.63.129.16, or an IPv6 inside
 * global unicast 2000::/3 less its special blocks. Takes the text a resolver gives; anything else (a zone id, an
 * IPv4-mapped address, octal, hex or short IPv4) is false, never an error.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && isPublic(parsed);
}

/** The rules about addresses, by the names that logs and metrics have. */
export const ADDRESS_RULES = ["no-address", "not-an-address", "private-ipv4", "private-ipv6", "denied-range"] as const;

export type AddressRule = (typeof ADDRESS_RULES)[number];

/** Of more addresses in one family the first ones are judged, and the others not used: a name server may list thousands. */
const JUDGED_MAX = 256;

/**
 * The addresses of a name that may be connected to, in the order of `found`; when there is none, the rule that forbids
 * it. Those of A and of AAAA records are judged apart (`addressesRefusedBy`): a refused family leaves the other one.
 */
export function judgeAddresses(
  found: readonly string[],
  policy: { deniedRanges: readonly AddressRange[] },
  allowed = false,
): { addresses: string[]; refusedBy: AddressRule | null } {
  const isIPv6 = (address: string) => address.includes(":");
  const families = [false, true].map((which) => found.filter((one) => isIPv6(one) === which).slice(0, JUDGED_MAX));
  const rules = families.map((family) => addressesRefusedBy(family, policy, allowed));
  const judged = new Set(families.flatMap((family, n) => (rules[n] === null ? family : [])));
  const addresses = found.filter((address) => judged.has(address));
  if (addresses.length > 0) return { addresses, refusedBy: null };
  const isFirstIPv6 = isIPv6(found[0] ?? "");
  return { addresses, refusedBy: rules[Number(isFirstIPv6)] ?? "no-address" };
}

/**
 * The rule that forbids connecting to the addresses that a resolver returned for one family. Null when connecting is
 * allowed: there is at least one address, every one is public, and none is in a range that the operator denies. One in
 * 64:ff9b::/96 leads to an IPv4 address through NAT64 (RFC 6052) and is judged as that one. If the operator allows the
 * target (`allowed`), addresses need not be public; denied ranges still apply.
 */
export function addressesRefusedBy(
  addresses: readonly string[],
  policy: { deniedRanges: readonly AddressRange[] },
  allowed = false,
): AddressRule | null {
  if (addresses.length === 0) return "no-address";
  for (const address of addresses) {
    const parsed = parseAddress(address);
    const reached = parsed && (behindNat64(parsed) ?? parsed);
    if (!allowed && !(reached && isPublic(reached))) return specialRule(reached?.toString() ?? address);
    if (isDeniedAddress(address, policy)) return "denied-range";
  }
  return null;
}

/** The rule that a non-public address breaks. One with a zone id, or that maps IPv4, counts as IPv6. */
export function specialRule(address: string): AddressRule {
  if (address.includes(":")) return "private-ipv6";
  return DOTTED_DECIMAL.test(address) ? "private-ipv4" : "not-an-address";
}

/**
 * Whether an address, or the IPv4 address that it leads to through NAT64, is in a denied range. Text that is not an
 * address (`readAddress`) counts as denied.
 */
export function isDeniedAddress(address: string, { deniedRanges }: { deniedRanges: readonly AddressRange[] }): boolean {
  const parsed = readAddress(address);
  if (parsed === null || isInRanges(parsed, deniedRanges)) return true;
  const behind = behindNat64(parsed);
  return behind !== null && isInRanges(behind, deniedRanges);
}

/**
 * Reads an address without its zone id. An IPv4-mapped address (RFC 4291, section 2.5.5.2) is read as its IPv4 address, however
 * it is written. Null for any other text.
 */
export function readAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const address = parseAddress(text.replace(/%.*$/s, ""));
  return address && unmapped([address, 128])[0];
}

/**
 * Reads `203.0.113.7`, `2001:db8::1` or either with `/bits`; null when the text is neither. A block of IPv4-mapped addresses is
 * read as that of their IPv4 addresses.
 */
export function parseAddressRange(text: string): AddressRange | null {
  const [base = "", bits, ...rest] = text.split("/");
  const address = parseAddress(base);
  if (address === null || rest.length > 0) return null;
  const bitsMax = address.kind() === "ipv4" ? 32 : 128;
  if (bits === undefined) return unmapped([address, bitsMax]);
  return /^(?:0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= bitsMax ? unmapped([address, Number(bits)]) : null;
}

const DOTTED_DECIMAL = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const COLON_HEX = /^[0-9a-f:]+$/i;
const MAPPED = /^::ffff:(?=[\d.]+$)/i;

// ipaddr.js alone would also read 0x7f.1, 0177.0.0.1, 2130706433 and zone ids.
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (DOTTED_DECIMAL.test(text)) return ipaddr.IPv4.parse(text);
  const mapped = text.replace(MAPPED, "");
  if (DOTTED_DECIMAL.test(mapped)) return ipaddr.IPv4.parse(mapped).toIPv4MappedAddress();
  return COLON_HEX.test(text) && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null;
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.kind() === "ipv4") return !isInRanges(address, SPECIAL_IPV4);
  return isInRanges(address, GLOBAL_UNICAST_IPV6) && !isInRanges(address, SPECIAL_IPV6);
}

/**
 * The IPv4 address that an address in 64:ff9b::/96 leads to through NAT64: its last 32 bits (RFC 6052, 2.1). Null for
 * any other. One in 64:ff9b:1::/48 (RFC 8215) has its IPv4 address where its network puts it, which is not known here.
 */
function behindNat64(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | null {
  return isInRanges(address, NAT64) ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : null;
}

const MAPPED_BITS = 96;

function unmapped([address, bits]: AddressRange): AddressRange {
  if (address instanceof ipaddr.IPv4 || !address.isIPv4MappedAddress() || bits < MAPPED_BITS) return [address, bits];
  return [address.toIPv4Address(), bits - MAPPED_BITS];
}

function isInRanges(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}

function ranges(...blocks: string[]): AddressRange[] {
  return blocks.map((block) => ipaddr.parseCIDR(block));
}

const SPECIAL_IPV4 = ranges(
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // Azure's virtual host, in no registry
  "169.254.0.0/16", // link-local, cloud metadata
  "172.16.0.0/12", // private
  "192.0.0.0/24", // IETF protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // 6to4 relay, deprecated
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112, direct delegation
  "198.18.0.0/15", // benchmarking
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, limited broadcast
);

const NAT64 = ranges("64:ff9b::/96");

const GLOBAL_UNICAST_IPV6 = ranges("2000::/3");

const SPECIAL_IPV6 = ranges(
  "2001::/23", // IETF protocol assignments: Teredo, ORCHID, AMT and others
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "2620:4f:8000::/48", // AS112
  "3ffe::/16", // 6bone
  "3fff::/20", // documentation
);
