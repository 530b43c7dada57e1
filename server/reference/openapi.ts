import { ENDPOINTS } from "#contract/endpoints.ts";
import { ErrorAnswer } from "#contract/fields.ts";
import { HEADERS } from "#contract/headers.ts";
import manifest from "#package.json" with { type: "json" };
import { WEBHOOKS } from "./delivered-request.ts";
import { errorComponents } from "./error-responses.ts";
import { createJsonSchemas } from "./json-schemas.ts";
import { operationOf } from "./operation.ts";

/**
 * The OpenAPI document of the API at `baseUrl`, generated once from ENDPOINTS, the definitions that `route` validates by.
 * Source: https://spec.openapis.org/oas/v3.1.1.html
 */
export function openApiDocument(baseUrl: string): OpenApiDocument {
  const document = documents.get(baseUrl) ?? makeDocument(baseUrl);
  documents.set(baseUrl, document);
  return document;
}

export type OpenApiDocument = ReturnType<typeof makeDocument>;

const documents = new Map<string, OpenApiDocument>();

function makeDocument(baseUrl: string) {
  const schemas = createJsonSchemas();
  schemas.of(ErrorAnswer, "output");
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of ENDPOINTS) {
    paths[endpoint.path] ??= {};
    Object.assign(paths[endpoint.path] as object, { [endpoint.method.toLowerCase()]: operationOf(endpoint, schemas) });
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Stopwatch",
      version: manifest.version,
      summary: manifest.description,
      description: DESCRIPTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set([...ENDPOINTS.map((endpoint) => endpoint.tag), "Delivery"])].map((name) => ({
      name,
      description: TAGS.get(name),
    })),
    paths,
    webhooks: WEBHOOKS,
    components: {
      schemas: schemas.components,
      responses: errorComponents(baseUrl),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const TAGS = new Map<string, string>(
  Object.entries({
    Schedules: "Requests, each with the instant at which it is sent.",
    Recurrences: "Rules by which schedules are made, and the request that each of them sends.",
    Operations: "Cancelling or replaying many schedules at once.",
    "Delivery log": "What was attempted, and how it ended.",
    "Overview and usage": "Figures of an account, and of the service.",
    "Signing secrets": "What deliveries are signed with.",
    Account: "Who the caller is.",
    Billing: "The subscription that a person pays for.",
    "API keys": "Credentials of machines.",
    "Relay settings": "Sending rate and retries.",
    Listeners: "Test deliveries to a machine that no address reaches, as the command line receives them.",
    "Sign-in": "How a person gets a session.",
    "OpenAPI document": "The description of the API.",
    Health: "Health checks and metrics for the operator.",
    Delivery: "What a target receives.",
  }),
);

const DESCRIPTION = `Stores outgoing HTTP requests and sends each one to its target at the instant it asks for.

Every path answers \`OPTIONS\` (204) and refuses methods it does not know (405), both with \`Allow\`; \`HEAD\` answers like \`GET\`. Every answer
that is not a success has the form of \`Error\`, and every answer an \`X-Request-Id\`. Fields and parameters that are not described
here are refused in requests; answers may gain fields within v1.`;

const SECURITY_SCHEMES = {
  apiKey: {
    type: "http",
    scheme: "bearer",
    description:
      "An API key, `sw_live_…` or `sw_test_…`. It belongs to one environment and has no access to the other.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "sw_session",
    description:
      "The session of a signed-in person. Writes require that `Origin`, `Sec-Fetch-Site` or `Referer` is of the service's own origin, or that all three are missing. If a request has an API key too, only the key counts.",
  },
};
