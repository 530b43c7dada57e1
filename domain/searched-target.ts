import { storedUrl } from "./target-url.ts";

/**
 * The part of a stored target URL that a typed part stands for. A URL as it was typed may not be a part of the stored one:
 * that has the host in punycode, no default port, no fragment, no dot segments, and escapes for what is not ASCII (WHATWG
 * serialisation). A text that begins with neither a scheme nor a host of two labels counts as part of a path or a
 * query. Half a label of an international host is not found: its punycode is another.
 */
export function searchedTarget(typed: string): string {
  const [, scheme = "", authority = "", rest = ""] = TYPED.exec(typed) ?? [];
  const [, host = "", port] = HOST_AND_PORT.exec(authority) ?? [];
  const isHost = host !== "" && (scheme !== "" || /[^.]\.[^.]/.test(host));
  const url = isHost && typed.isWellFormed() ? storedUrl(`${scheme || "https://"}${authority}${rest}`) : null;
  if (url === null) return escapeText(typed);
  const isWholeAuthority = port !== undefined || rest !== "";
  return (
    scheme.toLowerCase() + hostOf(host, url) + portOf(url) + (isWholeAuthority ? url.href.slice(url.origin.length) : "")
  );
}

const TYPED = /^(https?:\/\/)?([^/?#\\\s@%]*)(.*)$/is;
const HOST_AND_PORT = /^(\[[^[\]]*\]|[^:[\]]+)(?::(\d{1,5}))?$/;
const ASCII = /^\p{ASCII}*$/u;

// The parser takes half an IPv4 address for a whole one: 10.0 would become 10.0.0.0.
function hostOf(host: string, url: URL): string {
  return ASCII.test(host) ? host.replace(/(?<=.)\.$/, "") : url.hostname;
}

const portOf = ({ port }: URL) => (port === "" ? "" : `:${port}`);

function escapeText(text: string): string {
  return text.toWellFormed().replace(/\P{ASCII}+/gu, encodeURIComponent);
}
