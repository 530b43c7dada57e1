import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { cacheHeaders, IF_NONE_MATCH } from "./headers.ts";

/** The document changes only with the version, s. */
export const DOCUMENT_MAX_AGE_S = 300;

// Described by the OpenAPI specification.
const part = (description: string) => z.custom<object>().register(z.globalRegistry, { type: "object", description });

const DocumentAnswer = z
  .strictObject({
    openapi: z
      .string()
      .regex(/^3\.1\./)
      .describe("The version of the specification that it follows."),
    info: part("What the API is called, and its version."),
    servers: z.array(part("An address.")).describe("Where the API is."),
    tags: z.array(part("A group.")).describe("The groups that operations are in."),
    paths: part("The operations, by path and method."),
    webhooks: part("What targets receive."),
    components: part("What several operations refer to."),
  })
  .meta({ id: "OpenApiDocument", description: "Source: https://spec.openapis.org/oas/v3.1.1.html" });

export const getDocument = endpoint({
  operationId: "getDocument",
  method: "GET",
  path: "/v1/openapi.json",
  tag: "OpenAPI document",
  summary: "This document.",
  auth: "none",
  requestHeaders: IF_NONE_MATCH,
  responses: {
    200: { description: "OpenAPI 3.1.", schema: DocumentAnswer, headers: cacheHeaders(DOCUMENT_MAX_AGE_S) },
    304: { description: "Not modified.", schema: null, headers: cacheHeaders(DOCUMENT_MAX_AGE_S) },
  },
});
