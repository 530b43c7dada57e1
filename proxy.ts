import { type NextRequest, NextResponse } from "next/server";
import { type Config, readConfig } from "#config.ts";
import { AppError } from "#domain/errors.ts";
import { isLoadedAhead } from "#domain/load-ahead.ts";
import { checkAction } from "#server/edge/action-bodies.ts";
import { DROP_LOADED_AHEAD, isRefusedAhead, REFUSED_AHEAD } from "#server/edge/loaded-ahead.ts";
import { onDocument, withoutFlash } from "#server/http/flash-cookie.ts";
import { decodablePath, dropInvalidActionId } from "#server/http/normalise-request.ts";
import { errorReply } from "#server/http/reply.ts";
import { pageHeaders, readPageSettings } from "#server/http/response-headers.ts";

/**
 * Next.js calls this where the HTTP guard is not in front, since a platform calls the handlers itself. Sets the security headers
 * of pages, with a nonce, checks the form of a server action, and has a page show the result of a form once. Paths that cannot
 * be decoded, also under /v1, become such that the routes can refuse them.
 */
export async function proxy(request: NextRequest): Promise<NextResponse> {
  const { method, nextUrl } = request;
  if (/^\/v1(?:\/|$)/.test(nextUrl.pathname)) return forward(request);

  const isAhead = isLoadedAhead(request.headers.get("sec-purpose"));
  if (isRefusedAhead({ url: nextUrl.pathname, headers: Object.fromEntries(request.headers) })) {
    return new NextResponse(null, { status: REFUSED_AHEAD, headers: { "Cache-Control": "no-store" } });
  }
  settings ??= readConfig();
  const { toPage, answer } = pageHeaders(readPageSettings(settings));
  const headers: Record<string, string> = { ...Object.fromEntries(request.headers), ...toPage };
  delete headers["content-security-policy-report-only"];
  dropInvalidActionId(headers);
  if (isAhead) headers.cookie = withoutFlash(headers.cookie ?? "");
  const flash =
    isForDocument(request) && !isAhead ? onDocument(settings, headers.cookie ?? null, nextUrl.pathname) : undefined;
  if (flash?.isShown) headers.cookie = withoutFlash(headers.cookie ?? "");

  const { baseUrl } = settings;
  const response = await admit(request.body, { method, url: nextUrl.pathname, headers }, settings).then(
    () => forward(request, new Headers(headers)),
    (error) => refuse(error, baseUrl),
  );
  for (const [name, value] of answer) response.headers.set(name, value);
  if (method === "POST") response.headers.set(...DROP_LOADED_AHEAD);
  if (flash !== undefined) {
    response.headers.append("Set-Cookie", flash.setCookie);
    response.headers.set("Cache-Control", "no-store");
  }
  return response;
}

// Next.js reads this from the source, so it names no constants.
export const config = {
  matcher: [
    {
      source: "/((?!v1/|v1$|healthz$|readyz$|metricsz$|sdk/|sdk\\.tgz$|cli/|cli\\.tgz$|_next/).*)",
      missing: [{ type: "header", key: "x-stopwatch-guarded" }],
    },
    { source: "/v1/(.*%.*)", missing: [{ type: "header", key: "x-stopwatch-guarded" }] },
    // A platform has this header on every request, whatever else the caller sends; the guard removes it.
    {
      source: "/((?!v1/|v1$|healthz$|readyz$|metricsz$|sdk/|sdk\\.tgz$|cli/|cli\\.tgz$|_next/).*)",
      has: [{ type: "header", key: "x-vercel-id" }],
    },
    { source: "/v1/(.*%.*)", has: [{ type: "header", key: "x-vercel-id" }] },
  ],
};

let settings: Config | undefined;

/** Checks the form of a server action, as `checkAction`, and counts its fields. */
async function admit(
  body: ReadableStream<Uint8Array> | null,
  ...action: Parameters<typeof checkAction>
): Promise<void> {
  const fields = checkAction(...action);
  if (fields === undefined || body === null) return;
  for await (const piece of body) fields.push(piece);
}

function refuse(error: unknown, baseUrl: string): NextResponse {
  if (!(error instanceof AppError)) throw error;
  const { status, body } = errorReply(error, baseUrl);
  return NextResponse.json(body, { status, headers: { "Cache-Control": "no-store" } });
}

/** Has the route answer, with these request headers. */
function forward({ nextUrl }: NextRequest, headers?: Headers): NextResponse {
  const changed = headers && { request: { headers } };
  const path = decodablePath(nextUrl.pathname);
  return path === nextUrl.pathname
    ? NextResponse.next(changed)
    : NextResponse.rewrite(new URL(path + nextUrl.search, nextUrl), changed);
}

/** Whether a browser asks for a document, and not a script for the data of a page, whose headers Next.js hides here. */
function isForDocument({ method, headers }: NextRequest): boolean {
  return method === "GET" && (headers.get("accept") ?? "").includes("text/html");
}
