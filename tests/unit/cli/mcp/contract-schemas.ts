import { openApiDocument } from "#server/reference/openapi.ts";

type Schema = { [keyword: string]: unknown; properties?: Record<string, Schema>; required?: string[] };
type Operation = {
  operationId: string;
  parameters?: { in: string; name: string; description?: string; schema: Schema; $ref?: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};

const document = openApiDocument("http://localhost") as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/**
 * The JSON Schema of a tool that makes one call of the API: path and query parameters and the fields of the body as
 * properties of one object. References are resolved. What the contract says with `oneOf` and the like at the top is left
 * out, since model providers refuse it in tools; the service still judges it.
 */
export function toolSchemaOf(operationId: string): Schema {
  const operation = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .find((one) => one.operationId === operationId);
  if (operation === undefined) throw new Error(`there is no operation ${operationId}`);
  const parameters = (operation.parameters ?? []).filter(({ in: place, name }) => place !== "header" && name !== "env");
  const body = resolve(Object.values(operation.requestBody?.content ?? {})[0]?.schema ?? {}) as Schema;
  const ofParameters = parameters.map(({ name, schema, description }) => {
    const resolved = resolve(schema) as Schema;
    return [name, { ...resolved, ...(description && { description }) }] as const;
  });
  const inPath = parameters.filter(({ in: place }) => place === "path").map(({ name }) => name);
  return {
    type: "object",
    properties: { ...Object.fromEntries(ofParameters), ...body.properties },
    required: [...inPath, ...(body.required ?? [])],
    additionalProperties: false,
  };
}

function resolve(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolve);
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...rest } = value as Schema;
  const referred = typeof $ref === "string" ? document.components.schemas[$ref.split("/").at(-1) as string] : {};
  return Object.fromEntries(Object.entries({ ...referred, ...rest }).map(([key, one]) => [key, resolve(one)]));
}
