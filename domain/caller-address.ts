import ipaddr from "ipaddr.js";
import { type AddressRange, parseAddressRange, readAddress } from "./address-policy.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Reads a comma-separated list of proxies: addresses and CIDR ranges of either family. Throws an Error that names the
 * entry that is neither.
 */
export function parseTrustedProxies(list: string): AddressRange[] {
  return list
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map((entry) => {
      const range = parseAddressRange(entry);
      if (range === null) throw new Error(`expected addresses and CIDR ranges, got ${JSON.stringify(entry)}`);
      return range;
    });
}

/**
 * The caller's IP address: the socket's, or behind trusted proxies the one that they report. Each proxy appends its peer
 * to `X-Forwarded-For`, so the header is read from the end up to the first untrusted address; entries before that may be
 * forged. `named` is the value of the header in which the operator's platform reports the caller: its last entry counts
 * from a trusted proxy, and where a platform calls the handlers itself, so that `socketAddress` is null. Null when
 * `socketAddress` is not an IP address, and when the platform reports none.
 */
export function callerAddress(
  socketAddress: string | null,
  forwardedFor: string | null,
  trustedProxies: readonly AddressRange[],
  named: string | null = null,
): string | null {
  const reported = readAddress(withoutPort(named?.split(",").at(-1)?.trim() ?? ""));
  if (socketAddress === null) return reported?.toString() ?? null;
  let caller = readAddress(socketAddress);
  if (caller === null) return null;
  if (reported !== null && isTrusted(caller, trustedProxies)) return reported.toString();
  const entries = trustedProxies.length > 0 ? (forwardedFor ?? "").split(",") : [];
  while (entries.length > 0 && isTrusted(caller, trustedProxies)) {
    const before = readAddress(withoutPort(entries.pop()?.trim() ?? ""));
    if (before === null) break;
    caller = before;
  }
  return caller.toString();
}

/** Whether an address is one of the machine itself. */
export function isLoopbackAddress(address: string): boolean {
  return readAddress(address)?.range() === "loopback";
}

/** The key for rate limits: an IPv4 address, or the /64 of an IPv6 address, since a host usually gets a whole /64. */
export function callerNetwork(address: string): string {
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === "ipv4") return address;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64`;
}

/**
 * What the security log keeps of an address: the /24 of an IPv4 address, the /48 of an IPv6 address. Enough to tell one's
 * own provider from another one, and too little to name a household.
 */
export function maskedNetwork(address: string): string {
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === "ipv4") return `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/24`)}/24`;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/48`)}/48`;
}

// Some proxies write `203.0.113.7:4711` and `[2001:db8::1]:4711`.
function withoutPort(text: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
}

function isTrusted(address: Address, proxies: readonly AddressRange[]): boolean {
  return proxies.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}
