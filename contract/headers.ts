/** `components.headers`: response headers that several responses share. */
export const HEADERS = {
  "X-Request-Id": header("Identifies this request in the service's log.", { pattern: "^req_[0-9a-f]{32}$" }, true),
  "RateLimit-Policy": header('The rate limit, such as `"account";q=600;w=60`: 600 requests in 60 s.'),
  RateLimit: header('The remaining quota, such as `"account";r=599;t=42`: 599 requests, reset in 42 s.'),
  "Retry-After": header("Seconds to wait before retrying.", { type: "integer", minimum: 0 }),
  "WWW-Authenticate": header("`Bearer`"),
  Allow: header("The methods of this path."),
};

/** References to shared headers, for a response. */
export function headerRefs(names: (keyof typeof HEADERS)[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers of a response that caches may keep for `maxAgeS` seconds, for `ResponseSpec.headers`. */
export function cacheHeaders(maxAgeS: number) {
  return {
    ETag: "Compared with `If-None-Match`.",
    "Cache-Control": `\`public, max-age=${maxAgeS}\``,
    "Access-Control-Allow-Origin": "`*`",
  };
}
export const IF_NONE_MATCH = { "If-None-Match": "The `ETag` of the caller's cached response." };

/** A header object of the OpenAPI document. */
export function header(description: string, schema: object = {}, required = false) {
  return { description, ...(required && { required }), schema: { type: "string", ...schema } };
}
