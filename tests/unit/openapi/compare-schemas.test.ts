import { describe, expect, it } from "vitest";
import type { Schema } from "#tests/helpers/openapi/alternatives.ts";
import { compareSchemas, type Direction } from "#tests/helpers/openapi/compare-schemas.ts";

function breaches(direction: Direction, released: Schema, current: Schema, components: object = {}) {
  const document = { components: { schemas: components } };
  return compareSchemas({ released: document, current: document }, direction, "x", released, current);
}

const object = (properties: object, more: object = {}): Schema => ({ type: "object", properties, ...more });
const closed = (properties: object, more: object = {}) => object(properties, { additionalProperties: false, ...more });
const text = { type: "string" };
const number = { type: "number" };
const whole = { type: "integer" };
const nothing = { type: "null" };
const needs = (...required: string[]) => ({ required });

type Case = [what: string, released: Schema, current: Schema];
type Breach = [...Case, breach: string];

describe("a request is narrowed", () => {
  it.each<Breach>([
    ["a property removed", closed({ a: text, b: text }), closed({ a: text }), "x.b: is removed"],
    ["a property removed from an open object", object({ a: text }), object({}), "x.a: is removed"],
    [
      "a property in a list removed",
      { type: "array", items: closed({ a: text }) },
      { type: "array", items: closed({}) },
      "x[].a: is removed",
    ],
    ["a property newly required", closed({ a: text }), closed({ a: text }, needs("a")), "x.a: is required now"],
    ["a new property that is required", closed({}), closed({ a: text }, needs("a")), "x.a: is required now"],
    ["a type replaced", text, whole, "x: string is refused now"],
    ["a number that has to be whole", number, whole, "x: number is refused now"],
    ["any value narrowed to a text", true, text, "x: anything is refused now"],
    ["null refused", { type: ["string", "null"] }, text, "x: null is refused now"],
    ["null refused in anyOf", { anyOf: [text, nothing] }, text, "x: null is refused now"],
    ["an alternative removed", { oneOf: [text, whole] }, { oneOf: [text] }, "x: integer is refused now"],
    ["a value of an enum removed", { enum: ["a", "b"] }, { enum: ["a"] }, 'x: "b" is refused now'],
    ["a text that becomes an enum", text, { type: "string", enum: ["a"] }, 'x: accepts only "a" now'],
    ["a text that becomes a constant", text, { const: "a" }, 'x: accepts only "a" now'],
    ["a boolean that has to be true", { type: "boolean" }, { const: true }, "x: false is refused now"],
    ["a smaller maxLength", { ...text, maxLength: 9 }, { ...text, maxLength: 8 }, "x: maxLength is 8 instead of 9"],
    ["a new maxLength", text, { ...text, maxLength: 8 }, "x: maxLength is 8 instead of absent"],
    ["a larger minLength", text, { ...text, minLength: 1 }, "x: minLength is 1 instead of absent"],
    ["a larger minimum", { ...whole, minimum: 1 }, { ...whole, minimum: 2 }, "x: minimum is 2 instead of 1"],
    ["a smaller maximum", { ...whole, maximum: 3 }, { ...whole, maximum: 2 }, "x: maximum is 2 instead of 3"],
    [
      "a new exclusiveMinimum",
      number,
      { ...number, exclusiveMinimum: 0 },
      "x: exclusiveMinimum is 0 instead of absent",
    ],
    [
      "a smaller maxItems",
      { type: "array", maxItems: 3 },
      { type: "array", maxItems: 2 },
      "x: maxItems is 2 instead of 3",
    ],
    ["a new minProperties", object({}), object({}, { minProperties: 1 }), "x: minProperties is 1 instead of absent"],
    ["a new pattern", text, { ...text, pattern: "^a" }, 'x: new condition: pattern "^a"'],
    [
      "an enum that becomes a pattern which one of its values does not fulfil",
      { type: "string", enum: ["2xx", "none"] },
      { ...text, pattern: "^[2-5]xx$" },
      'x: new condition: pattern "^[2-5]xx$"',
    ],
    ["another pattern", { ...text, pattern: "^a" }, { ...text, pattern: "^b" }, 'x: new condition: pattern "^b"'],
    ["a new format", text, { ...text, format: "uuid" }, 'x: new condition: format "uuid"'],
    ["a new multipleOf", whole, { ...whole, multipleOf: 5 }, "x: new condition: multipleOf 5"],
    [
      "lists that must not repeat",
      { type: "array" },
      { type: "array", uniqueItems: true },
      "x: new condition: uniqueItems true",
    ],
    [
      "a new condition that is not interpreted",
      text,
      { ...text, not: { const: "a" } },
      'x: new condition: not {"const":"a"}',
    ],
    ["another default", { ...text, default: "a" }, { ...text, default: "b" }, 'x: default is "b" instead of "a"'],
    ["a default removed", { ...text, default: "a" }, text, 'x: default is undefined instead of "a"'],
    ["other properties refused", object({ a: text }), closed({ a: text }), "x.*: other properties are refused now"],
    [
      "values of a map narrowed",
      object({}, { additionalProperties: number }),
      object({}, { additionalProperties: whole }),
      "x.*: number is refused now",
    ],
    [
      "a property that another one needs",
      closed({ a: text, b: text }),
      closed({ a: text, b: text }, { dependentRequired: { a: ["b"] } }),
      "x.b: is required beside a now",
    ],
    [
      "a property that must be absent",
      closed({ a: text, b: text }),
      closed({ a: text, b: text }, { not: needs("b") }),
      "x.b: is refused now",
    ],
    [
      "one of several that must be absent",
      closed({ a: text, b: text }),
      closed({ a: text, b: text }, { not: { anyOf: [needs("a"), needs("c")] } }),
      "x.a: is refused now",
    ],
    [
      "one of two ways removed",
      closed({ a: text, b: text }, { oneOf: [needs("a"), needs("b")] }),
      closed({ a: text, b: text }, needs("a")),
      "x.a: is required now",
    ],
    [
      "a condition in allOf",
      { allOf: [text] },
      { allOf: [text, { maxLength: 3 }] },
      "x: maxLength is 3 instead of absent",
    ],
    [
      "a property in allOf required",
      { allOf: [object({ a: text })] },
      { allOf: [object({ a: text }), needs("a")] },
      "x.a: is required now",
    ],
    ["nothing accepted", text, false, "x: string is refused now"],
  ])("by %s", (_, released, current, breach) => {
    expect(breaches("request", released, current)).toEqual([breach]);
  });
});

describe("a request is not narrowed", () => {
  it.each<Case>([
    ["a new optional property", closed({ a: text }), closed({ a: text, b: text })],
    ["a new optional property of an open object", object({ a: text }), object({ a: text, b: text })],
    ["a property that may be left out", closed({ a: text }, needs("a")), closed({ a: text })],
    [
      "an enum that becomes a pattern of all its values",
      { type: "string", enum: ["2xx", "none"] },
      { ...text, pattern: "^([2-5]xx|none|\\d{3})$" },
    ],
    ["a further type", text, { type: ["string", "null"] }],
    ["any number instead of whole ones", whole, number],
    ["any value", text, true],
    ["a further value of an enum", { enum: ["a"] }, { enum: ["a", "b"] }],
    ["an enum given up", { type: "string", enum: ["a"] }, text],
    ["a larger maxLength", { ...text, maxLength: 8 }, { ...text, maxLength: 9 }],
    ["a bound given up", { ...text, maxLength: 8, minLength: 1, pattern: "^a", format: "uuid" }, text],
    ["a minLength of 0", text, { ...text, minLength: 0 }],
    ["a new default", text, { ...text, default: "a" }],
    ["other properties accepted", closed({ a: text }), object({ a: text })],
    [
      "a further way",
      closed({ a: text, b: text }, { oneOf: [needs("a")] }),
      closed({ a: text, b: text }, { oneOf: [needs("a"), needs("b")] }),
    ],
    [
      "a further way with a new property, which the other ways exclude",
      closed({ a: text }, { oneOf: [needs("a"), { not: { anyOf: [needs("a")] } }] }),
      closed(
        { a: text, b: text },
        {
          oneOf: [needs("a"), needs("b"), { not: { anyOf: [needs("a"), needs("b")] } }],
          dependentRequired: { b: ["a"] },
        },
      ),
    ],
    ["constants written as an enum", { oneOf: [{ const: "a" }, { const: "b" }] }, { enum: ["b", "a"] }],
    ["an enum written as constants", { enum: ["b", "a"] }, { anyOf: [{ const: "a" }, { const: "b" }] }],
    ["null written another way", { type: ["string", "null"] }, { anyOf: [nothing, text] }],
    [
      "other words of description",
      { ...text, description: "a", examples: ["a"] },
      { ...text, title: "b", deprecated: true },
    ],
    [
      "a schema split into parts",
      closed({ a: text, b: text }, needs("a", "b")),
      { allOf: [closed({ a: text, b: text }), needs("a"), needs("b")] },
    ],
  ])("by %s", (_, released, current) => {
    expect(breaches("request", released, current)).toEqual([]);
  });
});

describe("a response breaks its readers", () => {
  it.each<Breach>([
    ["a required property removed", object({ a: text }, needs("a")), object({}), "x.a: is removed"],
    ["an optional property removed", object({ a: text }), object({}), "x.a: is removed"],
    ["a property that can be absent", object({ a: text }, needs("a")), object({ a: text }), "x.a: can be absent now"],
    [
      "a property that can be null",
      object({ a: text }),
      object({ a: { type: ["string", "null"] } }),
      "x.a: can be null now",
    ],
    ["null in anyOf", text, { anyOf: [text, nothing] }, "x: can be null now"],
    ["a further type", text, { type: ["string", "integer"] }, "x: can be integer now"],
    ["numbers that are not whole", whole, number, "x: can be number now"],
    ["a value of an enum removed", { enum: ["a", "b"] }, { enum: ["a"] }, 'x: is never "b" now'],
    ["an enum given up", { type: "string", enum: ["a"] }, text, 'x: can be any string now, not only "a"'],
    ["a further constant that is no text", { const: 1 }, { enum: [1, 2] }, "x: can be 2 now"],
    ["a boolean that was always true", { const: true }, { type: "boolean" }, "x: can be false now"],
    ["a larger maximum", { ...whole, maximum: 1 }, { ...whole, maximum: 2 }, "x: maximum is 2 instead of 1"],
    ["a bound given up", { ...whole, minimum: 0 }, whole, "x: minimum is absent instead of 0"],
    ["fewer items", { type: "array", minItems: 9 }, { type: "array", minItems: 8 }, "x: minItems is 8 instead of 9"],
    ["a format given up", { ...text, format: "date-time" }, text, 'x: no longer holds: format "date-time"'],
    ["another pattern", { ...text, pattern: "^a" }, { ...text, pattern: "^b" }, 'x: no longer holds: pattern "^a"'],
    [
      "items of another type",
      { type: "array", items: text },
      { type: "array", items: whole },
      "x[]: can be integer now",
    ],
    ["an object that is only null now", { anyOf: [object({ a: text }), nothing] }, nothing, "x: is never object now"],
    [
      "values of a map that change",
      object({}, { additionalProperties: whole }),
      object({}, { additionalProperties: number }),
      "x.*: can be number now",
    ],
    [
      "values of a map that are not described",
      object({}, { additionalProperties: whole }),
      object({}),
      "x.*: other properties are not described now",
    ],
  ])("by %s", (_, released, current, breach) => {
    expect(breaches("response", released, current)[0]).toBe(breach);
  });
});

describe("a response does not break its readers", () => {
  it.each<Case>([
    ["a further property", object({ a: text }), object({ a: text, b: text }, needs("b"))],
    ["a further property of a closed object", closed({ a: text }), closed({ a: text, b: text })],
    ["a property that is always there now", object({ a: text }), object({ a: text }, needs("a"))],
    ["a further text of an enum", { enum: ["a"] }, { enum: ["a", "b"] }],
    ["a further text in oneOf", { oneOf: [{ const: "a" }] }, { oneOf: [{ const: "a" }, { const: "b" }] }],
    ["a property that is never null now", { type: ["string", "null"] }, text],
    ["whole numbers only", number, whole],
    ["a new bound", text, { ...text, maxLength: 9, format: "uuid" }],
    ["an enum of what was any text", text, { enum: ["a", "b"] }],
    ["another default, which is for requests", { ...text, default: "a" }, { ...text, default: "b" }],
  ])("by %s", (_, released, current) => {
    expect(breaches("response", released, current)).toEqual([]);
  });
});

it("a response that fits one of several objects is compared with the closest", () => {
  const [a, b] = [object({ kind: { const: "a" }, a: text, more: text }), object({ kind: { const: "b" }, b: text })];
  const current = { oneOf: [b, object({ kind: { const: "a" }, a: whole, more: text })] };
  expect(breaches("response", { oneOf: [a, b] }, current)).toEqual([
    "x.a: can be integer now",
    "x.a: is never string now",
  ]);
});

it("a required property of a response that is removed is named once", () => {
  expect(breaches("response", object({ a: text }, needs("a")), object({}))).toEqual(["x.a: is removed"]);
});

it("a component may be renamed, put in place, or given words of its own", () => {
  const components = { Old: text, New: text };
  expect(
    breaches("request", { $ref: "#/components/schemas/Old" }, { $ref: "#/components/schemas/New" }, components),
  ).toEqual([]);
  expect(breaches("response", { $ref: "#/components/schemas/Old", description: "One." }, text, components)).toEqual([]);
});

it("a keyword beside a reference counts", () => {
  const released = { $ref: "#/components/schemas/Name" };
  expect(breaches("request", released, { ...released, maxLength: 3 }, { Name: text })).toEqual([
    "x: maxLength is 3 instead of absent",
  ]);
});

it("a schema that contains itself is compared once", () => {
  const tree = {
    type: "object",
    properties: { children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
  };
  const document = { components: { schemas: { Tree: tree } } };
  const without = { components: { schemas: { Tree: object({ name: text }) } } };
  const schema = { $ref: "#/components/schemas/Tree" };
  expect(compareSchemas({ released: document, current: document }, "request", "x", schema, schema)).toEqual([]);
  expect(compareSchemas({ released: document, current: without }, "request", "x", schema, schema)).toEqual([
    "x.children: is removed",
  ]);
});

it("a reference that leads nowhere or out of the document is an error, not a pass", () => {
  expect(() => breaches("request", { $ref: "#/components/schemas/None" }, text)).toThrow("is not in the document");
  expect(() => breaches("request", { $ref: "other.json#/A" }, text)).toThrow("is in another document");
});
