import { publicReply } from "#server/http/cacheable-reply.ts";
import { methods } from "#server/http/methods.ts";
import { openRoute } from "#server/http/route.ts";
import { PUNCTUALITY_KEPT_S, readPunctuality } from "#server/overview/punctuality.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: openRoute(async (request) => publicReply(request, await readPunctuality(), PUNCTUALITY_KEPT_S)),
});
