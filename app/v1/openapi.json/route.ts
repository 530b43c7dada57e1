import { DOCUMENT_KEPT_S } from "#server/contract/document.ts";
import { openApiDocument } from "#server/contract/openapi.ts";
import { publicReply } from "#server/http/cacheable-reply.ts";
import { methods } from "#server/http/methods.ts";
import { openRoute } from "#server/http/route.ts";
import { services } from "#server/services.ts";

export const dynamic = "force-dynamic";
export const runtime = "nodejs";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = methods({
  GET: openRoute(async (request) => publicReply(request, openApiDocument(services().config.baseUrl), DOCUMENT_KEPT_S)),
});
