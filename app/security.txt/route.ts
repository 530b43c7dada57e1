import { securityTxt } from "#server/security-txt.ts";
import { getServices } from "#server/services.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

/** `/.well-known/security.txt`, by a rewrite in next.config.ts. */
export function GET(): Response {
  const { baseUrl, securityContacts } = getServices().config;
  const text = securityTxt(securityContacts, baseUrl, new Date());
  const init = { headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "public, max-age=300" } };
  if (text !== null) return new Response(text, init);
  return new Response("This installation names no contact for reports of vulnerabilities.\n", { ...init, status: 404 });
}
