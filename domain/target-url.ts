import {
  ADDRESS_RULES,
  type AddressRange,
  isDeniedAddress,
  isPublicAddress,
  parseAddressRange,
  specialRule,
} from "./address-policy.ts";
import type { Environment } from "./environment.ts";
import { LISTEN_HOST, LISTEN_ORIGIN } from "./listen-origin.ts";
import { isSpecialName } from "./special-names.ts";

/** Targets that the operator allows or denies in addition to the built-in rules; see `parseTargetPolicy`. */
export interface TargetPolicy {
  /** `scheme://host:port`, always with port. */
  allowedOrigins: ReadonlySet<string>;
  /** Host names in ASCII; each covers its subdomains. */
  deniedHosts: readonly string[];
  deniedRanges: readonly AddressRange[];
}

export type TargetValidation =
  | { ok: true; url: string; origin: string; hostname: string; port: number; allowed: boolean }
  | Refusal;

/** The rules about targets, by the names that logs and metrics have. */
export const TARGET_RULES = [
  "text",
  "length",
  "characters",
  "scheme",
  "userinfo",
  "host",
  "port",
  "ipv4-notation",
  "special-name",
  "listener",
  "denied-host",
  ...ADDRESS_RULES,
] as const;

export type TargetRule = (typeof TARGET_RULES)[number];

type Refusal = { ok: false; rule: TargetRule; reason: string };

/**
 * Validates a target URL, the same way at creation and before every connection: first the raw text, before a URL parser
 * corrects it, then the parsed host. On success `url` is the URL to request (WHATWG serialisation without fragment and
 * without the host's trailing dot), `hostname` the ASCII name or the address without brackets, and `allowed` whether
 * the operator allows this origin: then the scheme, port and address rules do not apply, here and when connecting, but
 * denied hosts stay denied. `reason` is the message for the caller and never contains an address;
 * `rule` names the rule for the operator. The scheme is
 * case-insensitive (RFC 3986, 3.1). The limit of 2,048 characters is that of `url`, in which one letter may have become
 * twelve.
 *
 * Targets on `LISTEN_ORIGIN` are valid in `env` test alone, whatever the policy says. Without an `env` they never are, so
 * that nothing connects to that host.
 */
export function validateTarget(raw: unknown, policy: TargetPolicy, env?: Environment): TargetValidation {
  const read = readText(raw);
  if (!read.ok) return read;
  const { text, scheme, host, portText } = read;

  const url = storedUrl(text);
  if (url === null) return refuse("host", "targetUrl must have a valid host");
  if (url.href.length > LENGTH_MAX)
    return refuse(
      "length",
      `targetUrl must be at most 2,048 characters long, and has ${url.href.length} when it is encoded`,
    );
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port || DEFAULT_PORTS[scheme]);
  if (hostname === LISTEN_HOST) return validateListenTarget(url, env);
  const allowed = policy.allowedOrigins.has(`${scheme}://${url.hostname}:${port}`);

  if (!allowed) {
    if (scheme !== "https") return refuse("scheme", "targetUrl must be an https:// URL");
    if (portText !== undefined && portText !== "80" && portText !== "443") {
      return refuse("port", "targetUrl must use port 80 or 443");
    }
    const refusal = validateHost(url.hostname, host);
    if (refusal !== null) return refusal;
  }
  if (isDeniedHost(url.hostname, policy)) {
    const rule = isAddress(url.hostname) ? "denied-range" : "denied-host";
    return refuse(rule, "targetUrl must not point to a host that is refused here");
  }
  return { ok: true, url: url.href, origin: url.origin, hostname, port, allowed };
}

/**
 * Reads the settings DELIVERY_ALLOW (comma list of `host:port`, meaning https, or `scheme://host:port`) and
 * DELIVERY_DENY (comma list of hosts, addresses and CIDR ranges). Empty text allows and denies nothing more. Throws an
 * Error that says what was expected and which entry came.
 */
export function parseTargetPolicy(allow: string, deny: string): TargetPolicy {
  const deniedHosts: string[] = [];
  const deniedRanges: AddressRange[] = [];
  for (const entry of listEntries(deny)) {
    const range = parseAddressRange(entry.replace(/^\[([^\]]*)\]$/, "$1"));
    if (range === null) deniedHosts.push(parseDeniedHost(entry));
    else deniedRanges.push(range);
  }
  return { allowedOrigins: new Set(listEntries(allow).map(parseAllowedOrigin)), deniedHosts, deniedRanges };
}

type Scheme = keyof typeof DEFAULT_PORTS;
const DEFAULT_PORTS = { https: 443, http: 80 } as const;

const LENGTH_MAX = 2048;
const CONTROL_SPACE_BACKSLASH = /[\p{Cc}\s\\]/u;
// Credentials, escapes, and characters that IDNA silently drops (soft hyphen, zero-width space) except the two joiners.
const REFUSED_IN_AUTHORITY = /[@%[\p{Default_Ignorable_Code_Point}--[\u200c\u200d]]]/v;
const SCHEME_AND_AUTHORITY = /^(https?):\/\/([^/?#]+)/i;
const HOST_AND_PORT = /^(\[[^[\]]*\]|[^:[\]]+)(?::([1-9]\d{0,4}))?$/;
const HOST_ASCII = /^(?:\[[0-9a-f:]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)$/;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

function readText(
  raw: unknown,
): { ok: true; text: string; scheme: Scheme; host: string; portText: string | undefined } | Refusal {
  if (typeof raw !== "string") return refuse("text", "targetUrl must be a string");
  if (!raw.isWellFormed()) return refuse("text", "targetUrl must be well-formed text");
  if (CONTROL_SPACE_BACKSLASH.test(raw)) {
    return refuse("characters", "targetUrl must not contain control characters, spaces or backslashes");
  }
  const [, scheme, authority] = SCHEME_AND_AUTHORITY.exec(raw) ?? [];
  if (scheme === undefined || authority === undefined)
    return refuse("scheme", "targetUrl must be an absolute https:// URL");
  if (REFUSED_IN_AUTHORITY.test(authority)) {
    const rule = authority.includes("@") ? "userinfo" : "characters";
    return refuse(rule, "targetUrl must not contain credentials, escapes or invisible characters before its path");
  }
  const [, host, portText] = HOST_AND_PORT.exec(authority) ?? [];
  if (host === undefined) return refuse("host", "targetUrl must have a valid host, and port 80 or 443 if any");
  return { ok: true, text: raw, scheme: scheme.toLowerCase() as Scheme, host, portText };
}

function validateListenTarget(url: URL, env: Environment | undefined): TargetValidation {
  if (env !== "test") {
    return refuse("listener", "targetUrl must point to a public host: https://listen.invalid/ is for test keys alone");
  }
  if (url.origin !== LISTEN_ORIGIN) {
    return refuse("listener", "targetUrl must be https://listen.invalid/ with its path, without a port");
  }
  return { ok: true, url: url.href, origin: LISTEN_ORIGIN, hostname: LISTEN_HOST, port: 443, allowed: false };
}

function validateHost(hostname: string, rawHost: string): Refusal | null {
  const isIpv4 = IPV4.test(hostname);
  if (isIpv4 && rawHost !== hostname) {
    return refuse("ipv4-notation", "targetUrl must write an IPv4 address in plain dotted decimal");
  }
  if (isAddress(hostname)) {
    const address = hostname.replace(/^\[|\]$/g, "");
    return isPublicAddress(address) ? null : refuse(specialRule(address), NOT_PUBLIC);
  }
  const labels = hostname.split(".");
  if (hostname.length > 253 || labels.some((label) => !/^[a-z0-9_-]{1,63}$/.test(label)) || !isValidIdna(hostname)) {
    return refuse("host", "targetUrl must have a valid host");
  }
  return labels.length < 2 || isSpecialName(hostname) ? refuse("special-name", NOT_PUBLIC) : null;
}

const NOT_PUBLIC = "targetUrl must point to a public host";

// URL parsers do not validate punycode in an all-ASCII host; adding a non-ASCII label forces the validation.
function isValidIdna(hostname: string): boolean {
  return URL.canParse(`https://\u00e9.${hostname}/`);
}

function isDeniedHost(hostname: string, policy: TargetPolicy): boolean {
  if (isAddress(hostname)) {
    return isDeniedAddress(hostname.replace(/^\[|\]$/g, ""), policy);
  }
  return policy.deniedHosts.some((denied) => hostname === denied || hostname.endsWith(`.${denied}`));
}

/** A URL as it is stored and requested: without fragment and without the host's trailing dot; null for no URL. */
export function storedUrl(text: string): URL | null {
  // Not URL.parse: this runs in browsers too, and those of early 2024 lack it.
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  url.hash = "";
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  return url;
}

function listEntries(list: string): string[] {
  return list
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

function parseAllowedOrigin(entry: string): string {
  const [, scheme = "https", host, portText] = /^(?:(https?):\/\/)?([^/?#@%\\\s]+):([1-9]\d{0,4})$/i.exec(entry) ?? [];
  const url = host === undefined ? null : storedUrl(`${scheme}://${host}:${portText}`);
  if (url === null || !HOST_ASCII.test(url.hostname)) {
    throw new Error(
      `expected host:port or scheme://host:port with http or https, always with the port, not ${JSON.stringify(entry)}`,
    );
  }
  return `${url.protocol}//${url.hostname}:${portText}`;
}

function parseDeniedHost(entry: string): string {
  const hostname = /[/:?#@%\\\s]/.test(entry) ? "" : (storedUrl(`https://${entry}`)?.hostname ?? "");
  if (!HOST_ASCII.test(hostname) || IPV4.test(hostname)) {
    throw new Error(`expected a host, an address or a CIDR range, not ${JSON.stringify(entry)}`);
  }
  return hostname;
}

const isAddress = (hostname: string) => hostname.startsWith("[") || IPV4.test(hostname);

function refuse(rule: TargetRule, reason: string): Refusal {
  return { ok: false, rule, reason };
}
