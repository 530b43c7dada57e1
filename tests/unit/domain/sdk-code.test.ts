import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sdkFields, writeFields, writeLiteral } from "#domain/sdk-code.ts";

const evaluate = (code: string): unknown => new Function(`return (${code});`)();
const fieldsOf = (body: Record<string, unknown>, given?: { keepsHeaders: boolean }) =>
  evaluate(writeFields(sdkFields(body, given)));

const JSON_TYPE = { "Content-Type": "application/json" };

describe("a value as source code", () => {
  it("means the same value, whatever its names and texts are", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = JSON.parse(JSON.stringify(value));
        expect(evaluate(writeLiteral(plain))).toEqual(plain);
      }),
    );
    const odd = JSON.parse('{ "__proto__": { "a": 1 }, "a-b": "\\u2028`$", "": [], "1": {} }');
    expect(JSON.stringify(evaluate(writeLiteral(odd)))).toBe(JSON.stringify(odd));
  });

  it("is on one line while that is short", () => {
    expect(writeLiteral({ hello: "world", list: [1, 2] })).toBe('{ hello: "world", list: [1, 2] }');
    expect(writeLiteral({ a: { list: ["x".repeat(30), "y".repeat(30)] }, b: {} }, "  ")).toBe(
      `{\n    a: {\n      list: [\n        "${"x".repeat(30)}",\n        "${"y".repeat(30)}",\n      ],\n    },\n    b: {},\n  }`,
    );
  });
});

describe("the fields of a body for the SDK", () => {
  it("have a JSON payload as a value, without the header that the SDK sets for it", () => {
    const body = { targetUrl: "https://example.com/", headers: JSON_TYPE, payload: '{ "a": "b c" }' };
    expect(fieldsOf(body)).toEqual({ targetUrl: "https://example.com/", json: { a: "b c" } });
    expect(fieldsOf({ ...body, headers: { "X-A": "1", "content-type": "application/json" } })).toEqual({
      targetUrl: "https://example.com/",
      headers: { "X-A": "1" },
      json: { a: "b c" },
    });
  });

  it.each([
    ["is not declared as JSON", {}, "{}"],
    ["is declared as something else", { "Content-Type": "application/json; charset=utf-8" }, "{}"],
    ["is no JSON", JSON_TYPE, "{"],
    ["is empty", JSON_TYPE, ""],
    ["has a number that JavaScript would round", JSON_TYPE, '{"id":12345678901234567890}'],
    ["has a name twice", JSON_TYPE, '{"a":1,"a":2}'],
    ["would be written in another order", JSON_TYPE, '{"b":1,"1":2}'],
    ["has an escape that is not needed", JSON_TYPE, '"\\u0061"'],
  ])("have a payload as text where it %s", (_, headers, payload) => {
    expect(fieldsOf({ headers, payload })).toEqual({ headers, payload });
  });

  it("keep headers that replace those of another schedule, even when none are left", () => {
    const keepsHeaders = true;
    expect(fieldsOf({ payload: "[1]" }, { keepsHeaders })).toEqual({ json: [1] });
    expect(fieldsOf({ payload: "[1]", headers: JSON_TYPE }, { keepsHeaders })).toEqual({ json: [1], headers: {} });
    expect(fieldsOf({ payload: "[1]", headers: {} }, { keepsHeaders })).toEqual({ payload: "[1]", headers: {} });
  });
});
