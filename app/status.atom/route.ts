import { cacheableText } from "#server/http/cacheable-reply.ts";
import { PUBLIC_DAYS_MAX_AGE_S, readDays } from "#server/overview/public-days.ts";
import { statusFeed } from "#server/overview/status-feed.ts";
import { methods } from "#server/routes/methods.ts";
import { simpleRoute } from "#server/routes/route.ts";
import { getServices } from "#server/services.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: simpleRoute(async (request) => {
    const content = statusFeed(await readDays(), getServices().config.baseUrl);
    return cacheableText(request, { type: "application/atom+xml; charset=utf-8", content }, PUBLIC_DAYS_MAX_AGE_S);
  }),
});
