import { createHash } from "node:crypto";
import { matchesEtag } from "./cacheable-reply.ts";

/**
 * 200 with bytes that never change at their address, which any cache may keep for good, or 304 when `If-None-Match`
 * matches. They are sent as they are (`no-transform`), so that the ETag stands for them alone.
 * Sources: RFC 9110, section 13.1.2, and RFC 8246.
 */
export function immutableReply(request: Request, bytes: { type: string; content: Uint8Array<ArrayBuffer> }) {
  const etag = `"${createHash("sha256").update(bytes.content).digest("base64url").slice(0, 22)}"`;
  const headers = { ETag: etag, "Cache-Control": "public, max-age=31536000, immutable, no-transform" };
  if (matchesEtag(request.headers.get("if-none-match"), etag)) return { status: 304 as const, headers };
  return { status: 200 as const, bytes, headers };
}
