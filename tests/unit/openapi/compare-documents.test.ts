import { describe, expect, it } from "vitest";
import { compareDocuments } from "#tests/helpers/openapi/compare-documents.ts";
import type { Part } from "#tests/helpers/openapi/resolve.ts";

/** A document with one of everything. */
function makeDocument() {
  return {
    openapi: "3.1.1",
    security: [] as object[],
    paths: {
      "/items/{id}": {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }] as Part[],
        post: {
          operationId: "changeItem",
          security: [{ key: [] }, { session: [] }] as object[],
          parameters: [
            { name: "limit", in: "query", schema: { type: "integer", maximum: 100 } },
            { name: "X-Trace", in: "header", schema: { type: "string" } },
          ] as Part[],
          requestBody: {
            required: false,
            content: { "application/json": { schema: { $ref: "#/components/schemas/Item" } } },
          } as Part,
          responses: {
            200: {
              headers: { "X-Request-Id": { required: true, schema: { type: "string" } } },
              content: { "application/json": { schema: { $ref: "#/components/schemas/Item" } } },
            },
            409: { $ref: "#/components/responses/Conflict" },
          } as Record<string, Part>,
        },
      } as Part & { parameters: Part[]; post: Part },
    } as Record<string, Part & { parameters: Part[] }>,
    webhooks: {
      delivery: {
        post: {
          parameters: [{ name: "webhook-id", in: "header", required: true, schema: { type: "string" } }] as Part[],
          responses: { "2XX": {}, 410: {} } as Record<string, Part>,
        },
      },
    },
    components: {
      schemas: {
        Item: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as Part & {
          properties: Part;
        },
      },
      responses: {
        Conflict: {
          content: {
            "application/json": {
              schema: { type: "object", properties: { code: { enum: ["CONFLICT", "GONE"] } }, required: ["code"] },
            },
          },
        },
      },
      securitySchemes: {
        key: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "cookie", name: "session" },
      } as Record<string, Part>,
    },
  };
}

type Made = ReturnType<typeof makeDocument>;

/** What a change of the document breaks. */
function breachesOf(change: (document: Made) => void) {
  const current = makeDocument();
  change(current);
  return compareDocuments(makeDocument(), current);
}

// biome-ignore-start lint/suspicious/noExplicitAny: each test changes what it knows to be there
const itemOf = (document: Made): any => document.paths["/items/{id}"];
const operationOf = (document: Made): any => itemOf(document).post;
const schemesOf = (document: Made): any => document.components.securitySchemes;
const deliveryOf = (document: Made): any => document.webhooks.delivery.post;
// biome-ignore-end lint/suspicious/noExplicitAny: as above

const NAME = "POST /items/{id}";

describe("a caller notices", () => {
  it.each<[string, (document: Made) => void, string[]]>([
    ["a path removed", (d) => delete d.paths["/items/{id}"], [`${NAME}: is removed`]],
    ["a method removed", (d) => delete itemOf(d).post, [`${NAME}: is removed`]],
    [
      "an operation renamed",
      (d) => (operationOf(d).operationId = "edit"),
      [`${NAME}: operationId is edit instead of changeItem`],
    ],
    ["a parameter removed", (d) => operationOf(d).parameters.shift(), [`${NAME}, query parameter limit: is removed`]],
    [
      "a parameter moved",
      (d) => (operationOf(d).parameters[0].in = "header"),
      [`${NAME}, query parameter limit: is removed`],
    ],
    [
      "a parameter newly required",
      (d) => (operationOf(d).parameters[0].required = true),
      [`${NAME}, query parameter limit: is required now`],
    ],
    [
      "a parameter narrowed",
      (d) => (operationOf(d).parameters[0].schema.maximum = 50),
      [`${NAME}, query parameter limit: maximum is 50 instead of 100`],
    ],
    [
      "a parameter written in another way",
      (d) => (operationOf(d).parameters[0].explode = false),
      [`${NAME}, query parameter limit: explode is false instead of undefined`],
    ],
    [
      "a new parameter that is required",
      (d) => operationOf(d).parameters.push({ name: "to", in: "query", required: true }),
      [`${NAME}, query parameter to: is required now`],
    ],
    [
      "a new parameter of the path item that is required",
      (d) => itemOf(d).parameters.push({ name: "to", in: "query", required: true }),
      [`${NAME}, query parameter to: is required now`],
    ],
    [
      "a path parameter narrowed",
      (d) => (itemOf(d).parameters[0].schema = { type: "string", pattern: "^a" }),
      [`${NAME}, path parameter id: new condition: pattern "^a"`],
    ],
    ["a body removed", (d) => delete operationOf(d).requestBody, [`${NAME}, body: is removed`]],
    ["a body newly required", (d) => (operationOf(d).requestBody.required = true), [`${NAME}, body: is required now`]],
    [
      "a media type of the body removed",
      (d) => (operationOf(d).requestBody.content = { "text/plain": {} }),
      [`${NAME}, body: application/json is removed`],
    ],
    [
      "a media type of an answer removed",
      (d) => delete operationOf(d).responses[200].content,
      [`${NAME}, 200: application/json is removed`],
    ],
    ["a status removed", (d) => delete operationOf(d).responses[200], [`${NAME}, 200: is removed`]],
    [
      "a header removed",
      (d) => (operationOf(d).responses[200].headers = {}),
      [`${NAME}, 200, header X-Request-Id: is removed`],
    ],
    [
      "a header that can be absent",
      (d) => (operationOf(d).responses[200].headers["X-Request-Id"].required = false),
      [`${NAME}, 200, header X-Request-Id: can be absent now`],
    ],
    [
      "a header of another type",
      (d) => (operationOf(d).responses[200].headers["X-Request-Id"].schema = { type: ["string", "null"] }),
      [`${NAME}, 200, header X-Request-Id: can be null now`],
    ],
    [
      "an error code removed",
      (d) => (d.components.responses.Conflict.content["application/json"].schema.properties.code.enum = ["GONE"]),
      [`${NAME}, 409.code: is never "CONFLICT" now`],
    ],
    [
      "a component removed from both sides",
      (d) => (d.components.schemas.Item.properties = {}),
      [`${NAME}, body.name: is removed`, `${NAME}, 200.name: is removed`],
    ],
    [
      "a credential that is not enough",
      (d) => operationOf(d).security.pop(),
      [`${NAME}: apiKey cookie session is not enough now`],
    ],
    [
      "a second credential",
      (d) => (operationOf(d).security = [{ key: [], session: [] }]),
      [`${NAME}: http bearer is not enough now`, `${NAME}: apiKey cookie session is not enough now`],
    ],
    [
      "a scope",
      (d) => (operationOf(d).security = [{ key: ["write"] }, { session: [] }]),
      [`${NAME}: http bearer is not enough now`],
    ],
    [
      "a credential of another kind",
      (d) => (schemesOf(d).session.name = "other"),
      [`${NAME}: apiKey cookie session is not enough now`],
    ],
    ["a webhook removed", (d) => (d.webhooks = {} as Made["webhooks"]), ["POST delivery: is removed"]],
    [
      "a header of a webhook removed",
      (d) => deliveryOf(d).parameters.pop(),
      ["POST delivery, header parameter webhook-id: is removed"],
    ],
    [
      "a header of a webhook that can be absent",
      (d) => (deliveryOf(d).parameters[0].required = false),
      ["POST delivery, header parameter webhook-id: can be absent now"],
    ],
    [
      "a status that webhooks no longer understand",
      (d) => delete deliveryOf(d).responses[410],
      ["POST delivery, 410: is removed"],
    ],
  ])("%s", (_, change, breaches) => {
    expect(breachesOf(change)).toEqual(breaches);
  });

  it("a credential where none was needed", () => {
    const [released, current] = [makeDocument(), makeDocument()];
    delete operationOf(released).security;
    expect(compareDocuments(released, current)).toEqual([`${NAME}: no credential is not enough now`]);
  });
});

describe("a caller does not notice", () => {
  it.each<[string, (document: Made) => void]>([
    ["nothing changed", () => {}],
    ["a new path", (d) => (d.paths["/other"] = { parameters: [], get: { responses: {} } })],
    ["a new method", (d) => (itemOf(d).get = { responses: {} })],
    ["a new optional parameter", (d) => operationOf(d).parameters.push({ name: "to", in: "query" })],
    ["a parameter that may be left out", (d) => (itemOf(d).parameters[0].required = false)],
    ["a header in other letters", (d) => (operationOf(d).parameters[1].name = "x-trace")],
    [
      "another name of a path parameter",
      (d) => {
        d.paths["/items/{item}"] = itemOf(d);
        itemOf(d).parameters[0].name = "item";
        delete d.paths["/items/{id}"];
      },
    ],
    ["a new status", (d) => (operationOf(d).responses[202] = {})],
    ["a new header", (d) => (operationOf(d).responses[200].headers.ETag = { schema: { type: "string" } })],
    ["a new media type", (d) => (operationOf(d).responses[200].content["text/plain"] = {})],
    [
      "a new error code",
      (d) => d.components.responses.Conflict.content["application/json"].schema.properties.code.enum.push("LATE"),
    ],
    ["a further credential", (d) => operationOf(d).security.push({})],
    [
      "credentials under other names",
      (d) => {
        d.components.securitySchemes = {
          k: schemesOf(d).key,
          s: schemesOf(d).session,
        };
        operationOf(d).security = [{ s: [] }, { k: [] }];
      },
    ],
    ["other words", (d) => Object.assign(operationOf(d), { summary: "Other", description: "words", tags: ["x"] })],
    ["a new header of a webhook", (d) => deliveryOf(d).parameters.push({ name: "x", in: "header", required: true })],
  ])("%s", (_, change) => {
    expect(breachesOf(change)).toEqual([]);
  });
});
