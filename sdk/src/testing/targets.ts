import type { Environment } from "../types.ts";
import { isPublicAddress } from "./addresses.ts";
import { isWellFormed } from "./refusal.ts";

/**
 * The URL that a target is requested by, or what is wrong with it. `allowed` are origins that an operator allows
 * (DELIVERY_ALLOW), each with its port. Names are not resolved. `https://listen.invalid/` is for listeners, and for `env` test
 * alone.
 */
export function readTarget(
  raw: string,
  allowed: ReadonlySet<string>,
  env: Environment,
): { url: string } | { problem: string } {
  if (!isWellFormed(raw) || /[\p{Cc}\s\\]/u.test(raw))
    return { problem: "must not contain control characters, spaces or backslashes" };
  const [, authority] = /^https?:\/\/([^/?#]+)/i.exec(raw) ?? [];
  if (!authority) return { problem: "must be an absolute https:// URL" };
  if (/[@%]|(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/u.test(authority))
    return { problem: "must not contain credentials, escapes or invisible characters before its path" };
  const [, host, port] = /^(\[[^[\]]*\]|[^:[\]]+)(?::([1-9]\d{0,4}))?$/.exec(authority) ?? [];
  const url = host === undefined ? null : parseUrl(raw);
  if (!url) return { problem: "must have a valid host" };
  if (url.href.length > 2048)
    return { problem: `must be at most 2,048 characters long, and has ${url.href.length} when it is encoded` };
  if (url.hostname === "listen.invalid") {
    if (env !== "test")
      return { problem: "must point to a public host: https://listen.invalid/ is for test keys alone" };
    if (url.origin === "https://listen.invalid") return { url: url.href };
    return { problem: "must be https://listen.invalid/ with its path, without a port" };
  }
  if (!allowed.has(originOf(url))) {
    if (url.protocol !== "https:") return { problem: "must be an https:// URL" };
    if (port !== undefined && port !== "80" && port !== "443") return { problem: "must use port 80 or 443" };
    const problem = hostProblem(url.hostname, host as string);
    if (problem) return { problem };
  }
  return { url: url.href };
}

/** An origin with its port, as `allowed` has it. */
export function originOf({ protocol, hostname, port }: URL): string {
  return `${protocol}//${hostname}:${port || (protocol === "http:" ? 80 : 443)}`;
}

const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/** Top-level names that public DNS does not resolve. */
const SPECIAL =
  /(^|\.)(alt|arpa|example|invalid|local|localhost|onion|test|corp|home|internal|mail|intranet|lan|private|consul|i2p|svc|localdomain[46]?|localhost[46]|ip6-localhost|ip6-loopback|ipv6-localhost|ipv6-loopback|domain)$/;

function hostProblem(hostname: string, written: string): string | undefined {
  const notPublic = "must point to a public host";
  if (IPV4.test(hostname) && written !== hostname) return "must write an IPv4 address in plain dotted decimal";
  if (IPV4.test(hostname) || hostname.startsWith("[")) return isPublicAddress(hostname) ? undefined : notPublic;
  const labels = hostname.split(".");
  const isName = hostname.length <= 253 && labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
  // Parsers check the punycode of a host only if it has other characters, too.
  if (!isName || !parseUrl(`https://\u00e9.${hostname}/`)) return "must have a valid host";
  return labels.length < 2 || SPECIAL.test(hostname) ? notPublic : undefined;
}

/** A URL as the service stores it: without fragment and without the dot at the end of its host. Null for no URL. */
export function parseUrl(text: string): URL | null {
  try {
    const url = new URL(text);
    url.hash = "";
    if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
    return url;
  } catch {
    return null;
  }
}
