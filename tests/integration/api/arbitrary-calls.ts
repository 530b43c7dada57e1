import fc from "fast-check";
import { DOCUMENT } from "./documented.ts";

/** One call as fast-check generates it. Its strings contain CANARY, so that an echo of one is detected. */
export type ArbitraryCall = { id: string; query: string; body: string | undefined; headers: Record<string, string> };

export const CANARY = "c4n4ry";

type Schema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  format?: string;
};

/**
 * Calls of one operation of the document: some valid, most with something wrong in id, query, body or headers. `ids`
 * exist.
 */
export function arbitraryCall(path: string, method: string, ids: string[]): fc.Arbitrary<ArbitraryCall> {
  const operation = DOCUMENT.paths[path][method.toLowerCase()];
  const parameters: { in: string; name: string; schema: Schema }[] = operation.parameters ?? [];
  const query = arbitraryQuery(parameters.filter((one) => one.in === "query"));
  const schema: Schema | undefined = operation.requestBody?.content["application/json"].schema;
  return fc.record({
    id: often(fc.constantFrom(...ids), fc.oneof(hostileText, fc.constantFrom("bulk", "__proto__", "0", "-1"))),
    query: method === "GET" ? query : often(fc.constant(""), query),
    body: schema ? often(nearly(fromSchema(schema)), anyText) : fc.option(anyText, { nil: undefined, freq: 9 }),
    headers: arbitraryHeaders,
  });
}

/** Text that parsers, databases and logs often handle wrongly. */
export const hostileText = fc
  .oneof(
    fc.constantFrom(
      ...["", "\0", "\ud800", "a\udfff", "\u202e", "\ufeff", "'; --", '"}', "%", "%00", "../..", "null", "NaN"],
      ...[
        "1e400",
        "-0",
        "0x10",
        "9".repeat(400),
        " ",
        "a".repeat(3_000),
        "2031-02-30T00:00:00Z",
        "9999-12-31T23:59:59-23:59",
      ],
      ...[
        "https://example.com/\0",
        "https://[::1]/",
        "http://a",
        "https://a.example:99999/",
        "2031-01-01T00:00:00.0000000001Z",
      ],
    ),
    fc.string({ unit: "binary", maxLength: 40 }),
  )
  .map((text) => `${text}${text.length % 2 === 0 ? CANARY : ""}`);

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 53, 1e308, -1e308, [], {}, [[]], [null], [CANARY, CANARY]),
  fc.constantFrom<unknown>(
    nested(50),
    Array(300).fill(0),
    JSON.parse('{"__proto__":{"a":1},"constructor":1,"toString":1}'),
  ),
  fc.jsonValue(),
);

// Invalid JSON, JSON that is not an object, or JSON that parsers read differently.
const anyText = fc.oneof(
  fc.json(),
  fc.string({ unit: "binary", maxLength: 60 }).map((text) => `${CANARY}${text}`),
  fc.constantFrom(
    ...["", " ", "{", "[]", "null", '"', "{}", '{"a":1}x', "\ufeff{}", '{"fireAt":1e400}', '{"\\u0000":1}', '{"":""}'],
    ...["[".repeat(20_000), `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`, '{"__proto__":{"isAdmin":true}}'],
  ),
);

/** A value that is valid by the schema. */
function fromSchema(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref) return fromSchema(DOCUMENT.components.schemas[schema.$ref.replace("#/components/schemas/", "")]);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(fromSchema));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if ("const" in schema) return fc.constant(schema.const);
  switch (schema.type) {
    case "object":
      return fromObject(schema);
    case "array":
      return fc.array(fromSchema(schema.items ?? {}), { maxLength: 4 });
    case "integer":
    case "number":
      return fc.oneof(fc.integer({ min: -1, max: 200 }), fc.maxSafeInteger());
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return fc.oneof(
        fc.constantFrom("https://example.com/hook", "2031-01-01T09:00:00Z", "order-1", `${CANARY} text`),
        fc.string({ maxLength: 20 }),
      );
  }
}

function fromObject({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<unknown> {
  if (typeof additionalProperties === "object") {
    return fc.dictionary(fc.constantFrom("Content-Type", "X-A", "x-b"), fromSchema(additionalProperties), {
      maxKeys: 3,
    });
  }
  const known = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, KNOWN_FIELDS[name] ?? fromSchema(schema)]),
  );
  return fc.record(known, { requiredKeys: required });
}

// Values that are valid by their syntax, so that the code behind the parser is reached.
const KNOWN_FIELDS: Record<string, fc.Arbitrary<unknown>> = {
  targetUrl: fc.constantFrom(
    "https://example.com/hook",
    "https://example.com:443/a?b=c#d",
    "https://10.0.0.1/",
    "http://a.example/",
  ),
  fireAt: fc.constantFrom(
    "2031-01-01T09:00:00Z",
    "9999-12-31T23:59:59.999+14:00",
    "2001-01-01T00:00:00Z",
    "2031-01-01T09:00Z",
  ),
  cron: fc.constantFrom("@daily", "* * * * *", "0 9 29 2 *", "5/15 * * * *", `0 9 * * * ${CANARY}`, `@${CANARY}`),
  endsAt: fc.constantFrom("2031-01-01T09:00:00Z", "9999-12-31T23:59:59.999Z", "2001-01-01T00:00:00Z"),
  until: fc.constantFrom("2031-01-01T09:00:00Z", "9999-12-31T23:59:59.999Z", "2001-01-01T00:00:00Z"),
  fireIn: fc.constantFrom("1s", "90s", "PT1H30M", "365250d", "0.5s"),
  fireAtLocal: fc.constantFrom(
    "2031-03-30T02:30",
    "2031-10-26T02:30:00.5",
    "9999-12-31T23:59:59.9999",
    "1970-01-01T00:00",
  ),
  timezone: fc.constantFrom("Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "UTC", "Etc/GMT+12"),
};

/** The same as JSON text. In three of five cases one value in it is replaced, removed or added. */
function nearly(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const kind = fc.constantFrom("as it is", "as it is", "replace", "remove", "add");
  const name = fc.constantFrom("__proto__", "constructor", "toString", "id", "payload", "targetUrl", "a\0b", "\ud800");
  return fc.tuple(value, kind, fc.nat(), name, hostileValue).map(([original, how, pick, key, hostile]) => {
    const places = placesOf(original);
    const place = places[pick % places.length];
    if (how === "as it is" || !place) return JSON.stringify(original);
    if (how === "remove") Reflect.deleteProperty(place.of, place.key);
    else define(place.of, how === "replace" ? place.key : key, hostile);
    return JSON.stringify(original);
  });
}

type Place = { of: object; key: string };

function placesOf(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [{ of: value, key }, ...placesOf(child)]);
}

// An assignment to __proto__ would create no field.
function define(of: object, key: string, value: unknown): void {
  Object.defineProperty(of, key, { value, enumerable: true, configurable: true, writable: true });
}

function arbitraryQuery(parameters: { name: string; schema: Schema }[]): fc.Arbitrary<string> {
  const known = parameters.map(({ name, schema }) =>
    fc.tuple(fc.constant(name), often(fromSchema(schema).map(String), hostileText)),
  );
  const unknown = fc.tuple(fc.constantFrom("__proto__", "constructor", "x", "", "limit", "env", "q[]"), hostileText);
  return fc
    .array(often(known.length > 0 ? fc.oneof(...known) : unknown, unknown), { maxLength: 3 })
    .map((pairs) =>
      pairs.map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join("=")).join("&"),
    );
}

const headerText = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 30 })
  .map((text) => text.replaceAll("\x7f", ""));

const arbitraryHeaders: fc.Arbitrary<Record<string, string>> = often(
  fc.constant({}),
  fc.dictionary(
    fc.constantFrom(
      "content-type",
      "content-encoding",
      "idempotency-key",
      "origin",
      "accept",
      "if-none-match",
      "x-forwarded-for",
    ),
    fc.oneof(
      headerText,
      fc.constantFrom("application/json; charset=utf-16", "gzip", "*", "a, b", `${CANARY}`, "text/plain"),
    ),
    { maxKeys: 2 },
  ),
);

function often<T>(usual: fc.Arbitrary<T>, seldom: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: seldom });
}

function nested(depth: number): unknown {
  return depth === 0 ? CANARY : [nested(depth - 1)];
}
