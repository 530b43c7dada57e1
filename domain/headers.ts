/** Header names that callers must not set, in lower case. All names that begin with `proxy-` are reserved too. */
export const RESERVED_HEADERS: readonly string[] = [
  ...["host", "content-length"],
  ...["x-service-signature", "x-service-schedule-id", "x-service-attempt", "x-service-fire-at"],
  "x-service-recurrence",
  ...["webhook-id", "webhook-timestamp", "webhook-signature"],
  ...["connection", "transfer-encoding", "keep-alive", "te", "trailer", "upgrade", "expect", "http2-settings"],
];

/** Names and values, in order. */
export type HeaderPairs = [name: string, value: string][];

export type CustomHeaders =
  | { ok: true; headers: HeaderPairs }
  | { ok: false; problems: { path: string; message: string }[] };

/**
 * Checks a caller's custom headers and returns them in their order, names as written. Names are RFC 9110 tokens of at
 * most 256 characters, none reserved (in any case, `_` read as `-`) and none given twice in different cases; values
 * are visible ASCII, space and tab, and may be empty; at most 50 headers, whose names and values together are at most
 * 8,192 bytes. `path` is `headers` or `headers.<name>`.
 */
export function parseCustomHeaders(value: Record<string, string>): CustomHeaders {
  const headers = Object.entries(value);
  if (headers.length > COUNT_MAX) return refuse(`must be at most ${COUNT_MAX} headers`);

  const problems: { path: string; message: string }[] = [];
  const seen = new Set<string>();
  for (const [name, text] of headers) {
    const message = validateHeaderName(name, seen) ?? validateHeaderValue(text);
    if (message !== null) problems.push({ path: `headers.${name.slice(0, NAME_LENGTH_MAX)}`, message });
    seen.add(name.toLowerCase());
  }
  if (problems.length > 0) return { ok: false, problems };

  const bytes = headers.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  return bytes > BYTES_MAX ? refuse("must be at most 8 KiB together") : { ok: true, headers };
}

const COUNT_MAX = 50;
const BYTES_MAX = 8192;
const NAME_LENGTH_MAX = 256;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;
const RESERVED = new Set(RESERVED_HEADERS);

function validateHeaderName(name: string, seen: ReadonlySet<string>): string | null {
  if (name.length > NAME_LENGTH_MAX) return `must have a name of at most ${NAME_LENGTH_MAX} characters`;
  if (!TOKEN.test(name)) return "must have a name of letters, digits and !#$%&'*+-.^_`|~";
  // CGI, WSGI and PHP cannot tell X_Service_Signature from X-Service-Signature.
  const folded = name.toLowerCase().replaceAll("_", "-");
  if (RESERVED.has(folded) || folded.startsWith("proxy-")) return "is reserved";
  return seen.has(name.toLowerCase()) ? "is given twice" : null;
}

function validateHeaderValue(text: unknown): string | null {
  if (typeof text !== "string") return "must be a string";
  return VALUE.test(text) ? null : "must hold only visible ASCII characters, spaces and tabs";
}

function refuse(message: string): CustomHeaders {
  return { ok: false, problems: [{ path: "headers", message }] };
}
