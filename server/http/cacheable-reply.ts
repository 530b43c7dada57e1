import { createHash } from "node:crypto";
import type { Reply } from "./reply.ts";

/**
 * 200 with a body that any origin may read and any cache may keep for `maxAgeS` seconds, or 304 when `If-None-Match`
 * matches. Source: RFC 9110, section 13.1.2.
 */
export function cacheableReply<Body>(request: Request, body: Body, maxAgeS: number) {
  const { headers, isKnown } = cacheable(request, JSON.stringify(body), maxAgeS);
  if (isKnown) return { status: 304 as const, body: undefined, headers };
  return { status: 200 as const, body, headers };
}

/** The same with a text. */
export function cacheableText(request: Request, text: NonNullable<Reply["text"]>, maxAgeS: number): Reply {
  const { headers, isKnown } = cacheable(request, text.content, maxAgeS);
  return isKnown ? { status: 304, headers } : { status: 200, text, headers };
}

function cacheable(request: Request, content: string, maxAgeS: number) {
  const etag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
  const headers = {
    ETag: etag,
    "Cache-Control": `public, max-age=${maxAgeS}`,
    "Access-Control-Allow-Origin": "*",
  };
  return { headers, isKnown: matchesEtag(request.headers.get("if-none-match"), etag) };
}

/** Whether an `If-None-Match` header names an ETag, or any. */
export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  return ifNoneMatch.split(",").some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
}
