import { createHash } from "node:crypto";

/**
 * 200 with an answer that anybody may read and keep for `keptS` seconds, or 304 when the caller has it already. Source:
 * RFC 9110, section 13.1.2.
 */
export function publicReply<Body>(request: Request, body: Body, keptS: number) {
  const etag = `"${createHash("sha256").update(JSON.stringify(body)).digest("base64url").slice(0, 22)}"`;
  const headers = {
    ETag: etag,
    "Cache-Control": `public, max-age=${keptS}`,
    "Access-Control-Allow-Origin": "*",
  };
  if (isKnown(request.headers.get("if-none-match"), etag)) return { status: 304 as const, body: undefined, headers };
  return { status: 200 as const, body, headers };
}

function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  return ifNoneMatch.split(",").some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
}
