/** Response headers that several answers share, as in `components.headers`. */
export const HEADERS = {
  "X-Request-Id": header("Names this call in the service's log.", { pattern: "^req_[0-9a-f]{32}$" }, true),
  "RateLimit-Policy": header('What the account may call, such as `"account";q=600;w=60`: 600 calls in 60 s.'),
  RateLimit: header('What is left of it, such as `"account";r=599;t=42`: 599 calls, for 42 s.'),
  "Retry-After": header("When to ask again, in seconds.", { type: "integer", minimum: 0 }),
  "WWW-Authenticate": header("`Bearer`"),
  Allow: header("The methods of this path."),
};

/** References to these headers, for an answer. */
export function headerRefs(names: (keyof typeof HEADERS)[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers of an answer that anybody may keep for `keptS` seconds, for `Answer.headers`, and what it is asked with. */
export function cacheHeaders(maxAgeS: number) {
  return {
    ETag: "Compared with `If-None-Match`.",
    "Cache-Control": `\`public, max-age=${maxAgeS}\``,
    "Access-Control-Allow-Origin": "`*`",
  };
}
export const IF_NONE_MATCH = { "If-None-Match": "The `ETag` of the answer that the caller has." };

/** A header of one answer alone. */
export function header(description: string, schema: object = {}, required = false) {
  return { description, ...(required && { required }), schema: { type: "string", ...schema } };
}
