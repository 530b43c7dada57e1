import { z } from "zod";
import type { Endpoint } from "#contract/endpoint.ts";
import { Env, ExchangeId, IdentityId, KeyId, OperationId, ScheduleId } from "#contract/fields.ts";
import { header, headerRefs } from "#contract/headers.ts";
import { IdempotencyKey } from "#contract/inputs/create-input.ts";
import { PROVIDERS } from "#domain/providers.ts";
import { errorResponses } from "./error-responses.ts";
import type { createJsonSchemas } from "./json-schemas.ts";

type JsonSchemas = ReturnType<typeof createJsonSchemas>;

/** The OpenAPI operation of one endpoint. */
export function operationOf(endpoint: Endpoint, schemas: JsonSchemas) {
  const { operationId, tag, summary, description, auth } = endpoint;
  const parameters = parametersOf(endpoint, schemas);
  const requestBody = bodyOf(endpoint, schemas);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    security: SECURITY[auth],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: { ...responsesOf(endpoint, schemas), ...errorResponses(endpoint) },
  };
}

const SECURITY = {
  any: [{ apiKey: [] }, { session: [] }],
  session: [{ session: [] }],
  testKey: [{ apiKey: [] }],
  none: [],
};

function parametersOf({ path, query, repeatable = [], hasEnv, requestHeaders = {} }: Endpoint, schemas: JsonSchemas) {
  const inPath = { in: "path", required: true };
  const id = path.includes("{id}")
    ? [{ name: "id", ...inPath, description: "Its id.", schema: schemas.of(idOf(path), "input") }]
    : [];
  const provider = path.includes("{provider}")
    ? [{ name: "provider", ...inPath, description: "Who vouches.", schema: { type: "string", enum: PROVIDERS } }]
    : [];
  const all = hasEnv ? ((query ?? z.strictObject({})) as z.ZodObject).extend({ env: EnvParameter }) : query;
  const key = path.includes("{key}") ? [{ name: "key", ...inPath, ...keyOf(path, schemas) }] : [];
  const { properties = {} } = (all ? schemas.of(all as z.ZodType, "input") : {}) as { properties?: Described };
  const ofQuery = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    ...(description && { description }),
    ...(schema.type === "array" && { style: "form", explode: repeatable.includes(name) }),
    schema,
  }));
  const ofHeaders = Object.entries(requestHeaders).map(([name, description]) => ({
    name,
    in: "header",
    ...header(description),
  }));
  return [...id, ...key, ...provider, ...ofQuery, ...ofHeaders];
}

type Described = Record<string, { description?: string; type?: string }>;

const EnvParameter = Env.optional().meta({
  description:
    "The environment. An API key has its own, which this may only repeat; a session acts on `live` unless it says `test`.",
});

function keyOf(path: string, schemas: JsonSchemas) {
  if (path.startsWith("/v1/recurrences/"))
    return { description: `${A_KEY}. ${NO_DOTS}`, schema: { type: "string", minLength: 1, maxLength: 255 } };
  const description = `${A_KEY}: the \`idempotencyKey\` of a create is the same key. ${NO_DOTS}`;
  return { description, schema: schemas.of(IdempotencyKey, "input") };
}

const A_KEY = "The key, percent-encoded, a slash too";
const NO_DOTS = "`.` and `..` cannot stand in a path.";

function idOf(path: string): z.ZodType {
  if (path.startsWith("/v1/operations/")) return OperationId;
  if (path.startsWith("/v1/me/identities/")) return IdentityId;
  if (path.startsWith("/v1/listen/")) return ExchangeId;
  return path.startsWith("/v1/schedules/") ? ScheduleId : KeyId;
}

function bodyOf({ body, bodyInDocument = body, bodyExample, isBodyOptional }: Endpoint, schemas: JsonSchemas) {
  if (!bodyInDocument) return undefined;
  const media = {
    schema: schemas.of(bodyInDocument, "input"),
    ...(bodyExample !== undefined && { example: bodyExample }),
  };
  return { required: !isBodyOptional, content: { "application/json": media } };
}

function responsesOf({ auth, responses }: Endpoint, schemas: JsonSchemas) {
  const everywhere = headerRefs(auth === "none" ? ["X-Request-Id"] : ["X-Request-Id", "RateLimit-Policy", "RateLimit"]);
  return Object.fromEntries(
    Object.entries(responses).map(
      ([status, { description, schema, headers = {}, example, textExample, eventsExample }]) => [
        status,
        {
          description,
          headers: {
            ...everywhere,
            ...Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, header(text)])),
          },
          ...(schema && {
            content: {
              "application/json": { schema: schemas.of(schema, "output"), ...(example !== undefined && { example }) },
              ...(textExample && { "text/plain": { schema: { type: "string" }, example: textExample } }),
            },
          }),
          ...(eventsExample && {
            content: { "text/event-stream": { schema: { type: "string" }, example: eventsExample } },
          }),
        },
      ],
    ),
  );
}
