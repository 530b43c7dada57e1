import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { cacheHeaders, IF_NONE_MATCH } from "./headers.ts";

/** It changes with the version alone. */
export const DOCUMENT_KEPT_S = 300;

const Part = z.record(z.string(), z.json().meta({ id: "Json" }));

const DocumentAnswer = z
  .strictObject({
    openapi: z.string().regex(/^3\.1\./),
    info: Part,
    servers: z.array(Part),
    tags: z.array(Part),
    paths: Part,
    webhooks: Part,
    components: Part,
  })
  .meta({ id: "OpenApiDocument", description: "Source: https://spec.openapis.org/oas/v3.1.1.html" });

export const getDocument = endpoint({
  operationId: "getDocument",
  method: "GET",
  path: "/v1/openapi.json",
  tag: "This document",
  summary: "This document.",
  auth: "none",
  requestHeaders: IF_NONE_MATCH,
  answers: {
    200: { description: "OpenAPI 3.1.", schema: DocumentAnswer, headers: cacheHeaders(DOCUMENT_KEPT_S) },
    304: { description: "As the caller knows it.", schema: null, headers: cacheHeaders(DOCUMENT_KEPT_S) },
  },
});
