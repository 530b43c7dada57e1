import { openApiDocument } from "#server/reference/openapi.ts";

type Operation = {
  operationId: string;
  tags: string[];
  security: object[];
  requestBody?: { content: { "application/json": { example: object } } };
  responses: Record<string, { content?: { "application/json"?: { example?: unknown } } }>;
};

export const document = openApiDocument("https://stopwatch.example.com");

/** The operations of the OpenAPI document, each with its path and method. */
export const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...(operation as Operation) })),
);

/** The operations that take an API key, but for those of listeners: the command line calls them, by `request`. */
export const operationsOfKeys = operations.filter(
  ({ security, tags }) => security.some((way) => "apiKey" in way) && !tags.includes("Listeners"),
);

/** The operation that a request is of. */
export function operationOf(method: string, url: string): (typeof operations)[number] | undefined {
  const { pathname } = new URL(url);
  const found = operations.filter(
    ({ path, method: own }) =>
      own === method.toLowerCase() && new RegExp(`^${path.replace(/\{(id|key)\}/, "[^/]+")}$`).test(pathname),
  );
  return found.find(({ path }) => !path.includes("{")) ?? found[0];
}
