/**
 * Whether a host name (ASCII, lower case, without trailing dot) is, or is below, a name that public DNS does not
 * resolve: IANA special-use domain names (RFC 6761, 6762, 7686, 8375, 9476; all of `arpa`, which is infrastructure),
 * what ICANN keeps for private use or never delegates (`internal`; `corp`, `home`, `mail`), RFC 6762 appendix G,
 * names that cluster, router and overlay resolvers resolve, and names of loopback in the `/etc/hosts` of common systems
 * (`localhost6.localdomain6`, `ip6-localhost`, FreeBSD's `localhost.my.domain`). `example.com`, `.net` and `.org` exist and are not special.
 */
export function isSpecialName(name: string): boolean {
  return SPECIAL_TOP_LEVEL.has(name.slice(name.lastIndexOf(".") + 1));
}

const SPECIAL_TOP_LEVEL = new Set([
  ...["alt", "arpa", "example", "invalid", "local", "localhost", "onion", "test"],
  ...["corp", "home", "internal", "mail"],
  ...["intranet", "lan", "private"],
  ...["consul", "i2p", "svc"],
  ...["localdomain", "localdomain4", "localdomain6", "localhost4", "localhost6"],
  ...["ip6-localhost", "ip6-loopback", "ipv6-localhost", "ipv6-loopback", "domain"],
]);
