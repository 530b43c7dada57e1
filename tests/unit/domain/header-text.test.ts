import { inspect } from "node:util";
import { expect, it } from "vitest";
import { readHeaderText } from "#domain/header-text.ts";

const TWO = [
  { name: "content-type", value: "application/json" },
  { name: "X-Shop", value: 'it\'s 7, "ok": yes' },
];
const OBJECT = Object.fromEntries(TWO.map(({ name, value }) => [name, value]));

it.each([
  ["JSON", JSON.stringify(OBJECT)],
  ["JSON over several lines", JSON.stringify(OBJECT, null, 2)],
  ["an object as Node.js prints it", inspect(OBJECT)],
  ["an object without a prototype", inspect(Object.assign(Object.create(null), OBJECT))],
  ["a Map as Node.js prints it", inspect(new Map(Object.entries(OBJECT)))],
  ["code", `const headers = { 'content-type': "application/json", "X-Shop": 'it\\'s 7, "ok": yes', };`],
  ["a field of an object", `headers: ${inspect(OBJECT)},`],
  ["lines", 'content-type: application/json\r\nX-Shop:it\'s 7, "ok": yes\r\n'],
  ["a request", 'POST /a HTTP/1.1\ncontent-type: application/json\nX-Shop: it\'s 7, "ok": yes\n\n'],
  ["curl -v", '> POST /a HTTP/2\n> content-type: application/json\n> X-Shop: it\'s 7, "ok": yes\n>'],
  ["curl -H", `-H 'content-type: application/json' -H "X-Shop: it's 7, \\"ok\\": yes"`],
  [
    "a curl command",
    `curl https://example.com/ \\\n  -H "content-type: application/json" \\\n  --header 'X-Shop: it'\\''s 7, "ok": yes' \\\n  -d '{"a: b": 1}'`,
  ],
])("pasted headers are read from %s", (_, text) => {
  expect(readHeaderText(text)).toEqual(TWO);
});

it("the headers of a request as Node.js prints them are read, also numbers and lists", () => {
  expect(readHeaderText(inspect(new Headers({ "X-A": "1", accept: "*/*" })))).toEqual([
    { name: "X-A", value: "1" },
    { name: "accept", value: "*/*" },
  ]);
  expect(readHeaderText(`{ host: 'a.example', age: 7, 'set-cookie': [ 'a=1', 'b=2' ], empty: '' }`)).toEqual([
    { name: "host", value: "a.example" },
    { name: "age", value: "7" },
    { name: "set-cookie", value: "a=1, b=2" },
    { name: "empty", value: "" },
  ]);
});

it.each([
  "",
  "Authorization",
  "X-Shop 7",
  "{}",
  "{ a }",
  "{ a: { b: 'c' } }",
  '{"a": null}',
  "[1, 2]",
  "a: b\nsome words",
  "https",
])("a text that is no header list is left alone: %j", (text) => expect(readHeaderText(text)).toBeNull());
