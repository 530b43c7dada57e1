import { storedUrl } from "./target-url.ts";

/**
 * The host of stored target URLs that a typed one names: in lower case and punycode, with a port unless it is 443. Null for
 * any other text, such as a URL, a part of a host, or an address that a URL parser would complete.
 */
export function searchedHost(typed: string): string | null {
  if (!FORM.test(typed) || !typed.isWellFormed()) return null;
  const url = storedUrl(`https://${typed}`);
  if (url === null || url.pathname !== "/") return null;
  const name = typed.replace(PORT, "").replace(/\.$/, "").toLowerCase();
  const isRewritten = ASCII.test(typed) && name !== url.hostname && !typed.startsWith("[");
  return isRewritten ? null : url.host;
}

const FORM = /^(?:\[[0-9a-f:.]+\]|[^/?#\\\s@%:[\]]+)(?::[1-9]\d{0,4})?$/i;
const PORT = /:\d+$/;
const ASCII = /^\p{ASCII}*$/u;
