import { createHash } from "node:crypto";

/**
 * 200 with a body that any origin may read and any cache may keep for `maxAgeS` seconds, or 304 when `If-None-Match`
 * matches. Source: RFC 9110, section 13.1.2.
 */
export function cacheableReply<Body>(request: Request, body: Body, maxAgeS: number) {
  const etag = `"${createHash("sha256").update(JSON.stringify(body)).digest("base64url").slice(0, 22)}"`;
  const headers = {
    ETag: etag,
    "Cache-Control": `public, max-age=${maxAgeS}`,
    "Access-Control-Allow-Origin": "*",
  };
  if (matchesEtag(request.headers.get("if-none-match"), etag))
    return { status: 304 as const, body: undefined, headers };
  return { status: 200 as const, body, headers };
}

/** Whether an `If-None-Match` header names an ETag, or any. */
export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  return ifNoneMatch.split(",").some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
}
