import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "#contract/endpoints.ts";
import { openApiDocument } from "#server/reference/openapi.ts";
import { readReference } from "#server/reference/reference.ts";

const BASE_URL = "https://stopwatch.example.com";
const operations = readReference(BASE_URL).flatMap((group) => group.operations);

describe("the API reference", () => {
  it.each(ENDPOINTS)("describes $method $path once, with a call by curl and by fetch", ({ operationId, path }) => {
    const found = operations.filter(({ id }) => id === operationId);
    expect(found).toHaveLength(1);
    const prefix = BASE_URL + path.replace(/\{.*/, "");
    expect(found[0]?.samples?.curl).toContain(`curl "${prefix}`);
    expect(found[0]?.samples?.fetch).toContain(`fetch("${prefix}`);
  });

  it("describes the request that a target receives, with its headers", () => {
    const delivery = operations.find(({ id }) => id === "receiveDelivery");
    expect(delivery?.parameters.map(({ name }) => name)).toContain("webhook-signature");
    expect(delivery?.samples).toBeNull();
  });

  it("names the fields of objects within objects and lists by their path", () => {
    const list = operations.find(({ id }) => id === "listSchedules");
    const names = list?.answers[0]?.fields.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["items", "items[].id", "total"]));
  });

  it("describes the fields of an answer once in a group, and refers to them where they are the same", () => {
    for (const { operations } of readReference(BASE_URL)) {
      const answers = operations.flatMap(({ id, answers }) => answers.map((answer) => ({ id, ...answer })));
      const texts = answers.filter(({ fields }) => fields.length > 0).map(({ fields }) => JSON.stringify(fields));
      expect(new Set(texts).size).toBe(texts.length);
      for (const { sameFieldsAs } of answers.filter((answer) => answer.sameFieldsAs)) {
        const described = answers.find(({ id, status }) => id === sameFieldsAs?.id && status === sameFieldsAs.status);
        expect(described?.fields.length).toBeGreaterThan(0);
      }
    }
    const created = operations.find(({ id }) => id === "createSchedule")?.answers;
    expect(created?.filter(({ sameFieldsAs }) => sameFieldsAs?.id === "createSchedule").length).toBeGreaterThan(0);
  });
});

it("every reference of the document resolves", () => {
  const document = JSON.parse(JSON.stringify(openApiDocument(BASE_URL)));
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
  const missing = references.filter(([, kind = "", name = ""]) => document.components[kind]?.[name] === undefined);
  expect(missing.map(([reference]) => reference)).toEqual([]);
});
