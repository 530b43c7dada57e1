import { describe, expect, it } from "vitest";
import { openApiDocument } from "#server/reference/openapi.ts";
import rows from "#tests/vectors/interface.json" with { type: "json" };

// Each title is one row of the specification. `vitest run --reporter=verbose <this file>` prints them as a checklist.

type Schema = {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minLength?: number;
  maxLength?: number;
};
type Media = { content?: Record<string, { schema: Schema }> };
type Operation = {
  security: Record<string, []>[];
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: Media;
  responses: Record<string, Media & { $ref?: string }>;
};

const DOCUMENT = JSON.parse(JSON.stringify(openApiDocument("https://api.example.com")));
const SECURITY: Record<string, string> = { any: "apiKey session", session: "session", none: "" };

describe("the document has each endpoint of the interface", () => {
  it.each(rows.endpoints.filter((row) => !("pending" in row)))(
    "$section: $method $path answers $success, credential: $auth",
    ({ method, path, success, auth }) => {
      const operation = operationOf(`${method} ${path}`);
      expect(operation.responses[success]).toBeDefined();
      expect(operation.security.flatMap(Object.keys).join(" ")).toBe(SECURITY[auth]);
    },
  );

  it.each(rows.endpoints.filter((row) => "pending" in row))("$section: $method $path is absent so far", ({ path }) => {
    expect(DOCUMENT.paths[documentPath(path)]).toBeUndefined();
  });
});

it.each(rows.queries)("$endpoint takes ?$name", ({ endpoint, name, ...row }) => {
  const parameter = operationOf(endpoint).parameters?.find((one) => one.in === "query" && one.name === name);
  expect(parameter).toBeDefined();
  if ("values" in row) expect(parameter?.schema.enum).toEqual(row.values);
});

it.each(rows.bodies)(
  "$endpoint takes $field of type $type, required: $required",
  ({ endpoint, field, type, required, ...row }) => {
    const found = fieldOf(jsonOf(operationOf(endpoint).requestBody), field);
    expect(typeOf(found.schema)).toBe(type);
    expect(found.isRequired).toBe(required);
    if ("values" in row) expect(found.schema.enum).toEqual(row.values);
    if ("lengths" in row) expect([found.schema.minLength, found.schema.maxLength]).toEqual(row.lengths);
  },
);

it.each(rows.answers)(
  "$resource: $endpoint answers $status with $field: $type",
  ({ endpoint, status, field, type, ...row }) => {
    const found = fieldOf(jsonOf(operationOf(endpoint).responses[status]), field);
    expect(typeOf(found.schema)).toBe(type);
    expect(found.isRequired).toBe(true);
    if ("values" in row) expect(valuesOf(found.schema)).toEqual(row.values);
  },
);

it.each(rows.errors)("$code is HTTP $status", ({ code, status }) => {
  const operations: Operation[] = Object.values<object>(DOCUMENT.paths).flatMap(Object.values);
  const answers = operations.map(({ responses }) => responses[status]?.$ref).filter((one) => one !== undefined);
  expect(new Set(answers)).toEqual(new Set([`#/components/responses/${code}`]));
});

it.each(rows.statuses)("a schedule may be %s", (status) => {
  expect(DOCUMENT.components.schemas.Status.enum).toContain(status);
});

function documentPath(path: string): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}

function operationOf(endpoint: string): Operation {
  const [method = "", path = ""] = endpoint.split(" ");
  const operation = DOCUMENT.paths[documentPath(path)]?.[method.toLowerCase()];
  if (!operation) throw new Error(`the document has no ${endpoint}`);
  return operation;
}

function jsonOf(media: Media | undefined): Schema {
  return media?.content?.["application/json"]?.schema ?? {};
}

/** The schema of a field such as `items[].id`. */
function fieldOf(schema: Schema, path: string): { schema: Schema; isRequired: boolean } {
  return path.split(".").reduce<{ schema: Schema; isRequired: boolean }>(
    (at, name) => {
      const own = parts(at.schema).find(({ properties }) => properties) ?? {};
      const key = name.replace("[]", "");
      const found = resolved(own.properties?.[key] ?? {});
      return {
        schema: name === key ? found : resolved(found.items ?? {}),
        isRequired: own.required?.includes(key) ?? false,
      };
    },
    { schema: resolved(schema), isRequired: false },
  );
}

function resolved(schema: Schema): Schema {
  return schema.$ref ? DOCUMENT.components.schemas[schema.$ref.replace("#/components/schemas/", "")] : schema;
}

function parts(schema: Schema): Schema[] {
  return (schema.anyOf ?? [schema]).map(resolved);
}

function typeOf(schema: Schema): string {
  return parts(schema)
    .flatMap(({ type }) => type)
    .join("|");
}

function valuesOf(schema: Schema): unknown[] | undefined {
  return schema.enum ?? [schema.const];
}
