import { globSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "#contract/endpoints.ts";
import { SCHEDULE_EXAMPLE } from "#contract/schedule-answer.ts";
import { type Api, startApi } from "./api.ts";
import { assertSchema, DOCUMENT } from "./documented.ts";

let api: Api;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const METHODS = ["get", "post", "put", "patch", "delete"] as const;
const operations = Object.entries<Record<string, Operation>>(DOCUMENT.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

type Operation = {
  operationId: string;
  tags: string[];
  parameters?: { name: string; description?: string }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { example?: unknown }> }>;
};

describe("GET /v1/openapi.json", () => {
  it("is 200 for everybody, and may be cached", async () => {
    const answer = await api.call("GET", "/v1/openapi.json");
    expect(answer).toMatchObject({ status: 200, body: DOCUMENT });
    expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  });

  it("is 304 for a caller who sends its ETag", async () => {
    const etag = (await api.call("GET", "/v1/openapi.json")).headers.get("etag") ?? "";
    const again = await api.call("GET", "/v1/openapi.json", null, undefined, { "if-none-match": etag });
    expect(again).toMatchObject({ status: 304, text: "" });
  });

  it("contains the configured address, and never the address of the request", async () => {
    const answer = await api.call("GET", "/v1/openapi.json", null, undefined, { host: "elsewhere.example" });
    expect(answer.body.servers).toEqual([{ url: "https://api.example.com" }]);
  });
});

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(DOCUMENT))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("has exactly the paths and methods that the route files answer", async () => {
    const answered = await Promise.all(globSync("app/**/route.ts").filter(isOfApi).map(answeredBy));
    expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
      answered.flat().sort(),
    );
  });

  it("gives each operation a name of its own", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("describes each schema, and says of each object in a request that it has no other fields", () => {
    for (const [where, schema] of schemasOf({ paths: DOCUMENT.paths, schemas: DOCUMENT.components.schemas })) {
      // Alternatives of a body that has a type of its own say only which fields go together.
      if (/schema\/oneOf|(NewSchedule|ScheduleByKey)\/oneOf/.test(where)) continue;
      const isTyped = ["type", "$ref", "anyOf", "oneOf", "allOf", "const", "enum"].some((keyword) => keyword in schema);
      expect(isTyped, `${where} says what it is`).toBe(true);
      if (schema.type !== "object" || !/requestBody|schemas\/(NewSchedule|ScheduleByKey|NewRecurrence)$/.test(where))
        continue;
      expect(schema.additionalProperties, `${where} has no other fields`).toBeDefined();
      expect(schema.additionalProperties, `${where} has no other fields`).not.toBe(true);
    }
  });

  it("allows answers to gain fields", () => {
    for (const [where, schema] of schemasOf(DOCUMENT)) {
      if (/requestBody|schemas\/(NewSchedule|ScheduleByKey|NewRecurrence|DeliveryOptions)/.test(where)) continue;
      expect(schema.additionalProperties, where).not.toBe(false);
    }
  });

  it("is enforced by tests more strictly: no answer has an undescribed field", () => {
    expect(() => assertSchema("/components/schemas/Schedule", SCHEDULE_EXAMPLE)).not.toThrow();
    expect(() => assertSchema("/components/schemas/Schedule", { ...SCHEDULE_EXAMPLE, more: 1 })).toThrow(/additional/);
    expect(() =>
      assertSchema("/components/schemas/Error", { error: { code: "INTERNAL", message: "", doc_url: "", more: 1 } }),
    ).toThrow(/additional/);
  });

  it("describes every tag, parameter, header, component and field", () => {
    const described = (of: { description?: string }, where: string) => expect(of.description, where).toMatch(/\w/);
    for (const tag of DOCUMENT.tags) described(tag, tag.name);
    expect(DOCUMENT.tags.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(operations.flatMap(({ operation }) => operation.tags)),
    );
    for (const { path, method, operation } of operations) {
      for (const parameter of operation.parameters ?? []) described(parameter, `${method} ${path} ${parameter.name}`);
    }
    for (const [name, header] of Object.entries<object>(DOCUMENT.components.headers)) described(header, name);
    for (const [name, schema] of Object.entries<object>(DOCUMENT.components.schemas)) described(schema, name);
    for (const [where, schema] of schemasOf(DOCUMENT)) {
      for (const [name, field] of Object.entries(schema.properties ?? {})) described(field, `${where} ${name}`);
    }
  });

  it("has no components but those with a name of their own", () => {
    expect(Object.keys(DOCUMENT.components.schemas).filter((name) => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
  });

  it("describes how several statuses are written in one parameter", () => {
    const { parameters } = DOCUMENT.paths["/v1/schedules"].get;
    expect(parameters.find(({ name }: { name: string }) => name === "status")).toMatchObject({
      style: "form",
      explode: false,
      schema: { type: "array", items: { $ref: "#/components/schemas/Status" } },
    });
  });

  it("says for every path that other methods are refused", () => {
    for (const { operation } of operations) {
      expect(operation.responses[405]).toEqual({ $ref: "#/components/responses/METHOD_NOT_ALLOWED" });
    }
  });

  it("distinguishes errors by their code, beside their common schema", () => {
    for (const [code, { content }] of Object.entries<Described>(DOCUMENT.components.responses)) {
      expect(content["application/json"].schema.allOf).toMatchObject([
        { $ref: "#/components/schemas/Error" },
        { properties: { error: { properties: { code: { const: code } } } } },
      ]);
      const pointer = `/components/responses/${code}/content/application~1json/schema`;
      const other = code === "INTERNAL" ? "CONFLICT" : "INTERNAL";
      const doc_url = "https://stopwatch.example/docs/errors";
      expect(() => assertSchema(pointer, { error: { code, message: "", doc_url } })).not.toThrow();
      expect(() => assertSchema(pointer, { error: { code: other, message: "", doc_url } })).toThrow();
    }
  });

  it("has no broken reference and no unused component", () => {
    const referred = new Set(
      [...JSON.stringify(DOCUMENT).matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)].map(([, a, b]) => `${a}/${b}`),
    );
    const present = ["schemas", "responses", "headers"].flatMap((kind) =>
      Object.keys(DOCUMENT.components[kind]).map((name) => `${kind}/${name}`),
    );
    expect([...referred].sort()).toEqual(present.sort());
  });

  it.each(operations)(
    "$method $path shows examples of its body and answers, which are valid",
    ({ path, method, operation }) => {
      const at = `/paths/${path.replaceAll("/", "~1")}/${method}`;
      const media = "content/application~1json";
      if (operation.requestBody) {
        const { example } = operation.requestBody.content["application/json"] ?? {};
        expect(example).toBeDefined();
        assertSchema(`${at}/requestBody/${media}/schema`, example);
        const endpoint = ENDPOINTS.find((one) => one.operationId === operation.operationId);
        expect(endpoint?.body?.safeParse(example)).toMatchObject({ success: true });
      }
      for (const [status, response] of Object.entries(operation.responses)) {
        if (response.$ref || !response.content || path === "/v1/openapi.json") continue;
        const events = response.content["text/event-stream"];
        if (events) {
          expect(events.example).toMatch(/^event: /);
          continue;
        }
        const { example } = response.content["application/json"] ?? {};
        expect(example, `${status} has an example`).toBeDefined();
        assertSchema(`${at}/responses/${status}/${media}/schema`, example);
      }
    },
  );

  it("has a valid example of every error", () => {
    for (const [code, { content }] of Object.entries<{ content: Record<string, { example: unknown }> }>(
      DOCUMENT.components.responses,
    )) {
      assertSchema(
        `/components/responses/${code}/content/application~1json/schema`,
        content["application/json"]?.example,
      );
    }
  });
});

/** A folder in parentheses contains pages and the routes that their forms post to. So are the texts below. */
const isOfApi = (file: string) => !/^app\/(\(|llms|security\.txt|status\.atom|try\/|sdk|cli)/.test(file);

/** The methods that a route file says it answers, besides HEAD and OPTIONS. */
async function answeredBy(file: string): Promise<string[]> {
  const path = file
    .replace(/^app/, "")
    .replace(/\/route\.ts$/, "")
    .replaceAll(/\[(\w+)\]/g, "{$1}");
  if (path.includes("[[")) return [];
  const module = await import(/* @vite-ignore */ `#${file}`);
  const answer: Response = await module.OPTIONS(new Request(`http://127.0.0.1${path}`, { method: "OPTIONS" }), {
    params: Promise.resolve({}),
  });
  const allowed = (answer.headers.get("allow") ?? "").split(", ").map((method) => method.toLowerCase());
  return METHODS.filter((method) => allowed.includes(method)).map((method) => `${method.toUpperCase()} ${path}`);
}

type Schema = { [keyword: string]: unknown; properties?: Record<string, { description?: string }> };
type Described = { content: { "application/json": { schema: { allOf: unknown } } } };

function* schemasOf(value: unknown, where = "#", isSchema = false): Generator<[string, Schema]> {
  if (typeof value !== "object" || value === null) return;
  if (isSchema) yield [where, value as Schema];
  for (const [key, child] of Object.entries(value)) {
    if (["example", "examples", "enum"].includes(key)) continue;
    const inside = /\/(properties|schemas|anyOf|allOf|oneOf)$/.test(where);
    yield* schemasOf(child, `${where}/${key}`, inside || ["schema", "items", "additionalProperties"].includes(key));
  }
}
