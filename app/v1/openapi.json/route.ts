import { DOCUMENT_MAX_AGE_S } from "#contract/document.ts";
import { cacheableReply } from "#server/http/cacheable-reply.ts";
import { openApiDocument } from "#server/reference/openapi.ts";
import { methods } from "#server/routes/methods.ts";
import { simpleRoute } from "#server/routes/route.ts";
import { getServices } from "#server/services.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: simpleRoute(async (request) =>
    cacheableReply(request, openApiDocument(getServices().config.baseUrl), DOCUMENT_MAX_AGE_S),
  ),
});
