import { cacheableReply } from "#server/http/cacheable-reply.ts";
import { PUNCTUALITY_MAX_AGE_S, presentPunctuality, readPunctuality } from "#server/overview/punctuality.ts";
import { methods } from "#server/routes/methods.ts";
import { simpleRoute } from "#server/routes/route.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: simpleRoute(async (request) =>
    cacheableReply(request, presentPunctuality(await readPunctuality()), PUNCTUALITY_MAX_AGE_S),
  ),
});
