import { createHmac } from "node:crypto";
import { inspect } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Capture, CaptureProblem } from "../../../cli/src/verify/capture.ts";
import { diagnose } from "../../../cli/src/verify/diagnose.ts";
import type { KnownSecret } from "../../../cli/src/verify/known-secrets.ts";
import { readCapture } from "../../../cli/src/verify/read-capture.ts";
import { secretsOfVariables } from "../../../cli/src/verify/read-variables.ts";
import { SIGN_VECTORS, VERIFY_VECTORS as STANDARD_VECTORS, STRIPE_VECTORS } from "../sdk/signature-vectors.ts";
import { accountSecretsOf, bodyOf, VERIFY_VECTORS, type VerifyVector, variablesOf } from "./verify-vectors.ts";

const secretsOf = (vector: VerifyVector) => [...secretsOfVariables(variablesOf(vector)), ...accountSecretsOf(vector)];

function diagnoseVector(vector: VerifyVector) {
  const { headers } = readCapture(Buffer.from(JSON.stringify(vector.headers)));
  return diagnose({ headers, body: bodyOf(vector) }, secretsOf(vector), {
    receivedAtMs: vector.received_at * 1_000,
    computed: vector.computed,
  });
}

it.each(VERIFY_VECTORS)("a captured request gets the sentence that helps: $name", (vector) => {
  const { fits, problems } = diagnoseVector(vector);
  expect(problems.map(({ code }) => code)).toEqual(vector.codes);
  expect(fits).toBe(vector.exit === 0);
  if (!fits) expect(problems[0]?.message).toBe(vector.sentence);
});

const BASE = VERIFY_VECTORS[0] as VerifyVector;
const text = (separator: string) => Object.entries(BASE.headers).map((pair) => pair.join(separator));
const LINES = text(": ");

it.each([
  ["a raw HTTP request", `POST /hook HTTP/1.1\r\nHost: localhost\r\n${LINES.join("\r\n")}\r\n\r\n${BASE.body}`],
  ["a request with LF alone, without its first line", `${LINES.join("\n")}\n\n${BASE.body}`],
  [
    "a request of AWS Lambda",
    JSON.stringify({
      headers: BASE.headers,
      body: Buffer.from(BASE.body as string).toString("base64"),
      isBase64Encoded: true,
    }),
  ],
  [
    "JSON with a Buffer of Node.js",
    JSON.stringify({ rawHeaders: Object.entries(BASE.headers).flat(), body: Buffer.from(BASE.body as string) }),
  ],
])("headers and body are read from %s", (_, capture) => {
  const read = readCapture(Buffer.from(capture));
  expect(read.body?.toString()).toBe(BASE.body);
  expect(Object.fromEntries(read.headers)).toMatchObject(BASE.headers);
});

it.each([
  ["lines", LINES.join("\n")],
  ["lines that end with a line break", `${LINES.join("\r\n")}\r\n\r\n`],
  [
    "curl -v",
    [
      "*   Trying 127.0.0.1:80...",
      "> POST /hook HTTP/1.1",
      ...LINES.map((line) => `> ${line}`),
      ">",
      "< HTTP/1.1 200 OK",
      "< webhook-id: of-the-answer",
      "<",
    ].join("\n"),
  ],
  ["JSON of Node.js's headers", JSON.stringify(BASE.headers, null, 2)],
  ["JSON of Node.js's rawHeaders", JSON.stringify(Object.entries(BASE.headers).flat())],
  ["JSON of pairs", JSON.stringify(Object.entries(BASE.headers))],
  [
    "JSON of names with lists of values",
    JSON.stringify(Object.fromEntries(Object.entries(BASE.headers).map(([name, value]) => [name, [value]]))),
  ],
  [
    "JSON of objects with name and value",
    JSON.stringify(Object.entries(BASE.headers).map(([name, value]) => ({ name, value }))),
  ],
  ["console.log of Node.js", inspect(BASE.headers)],
  ["console.log of Node.js's Headers", inspect(new Headers(BASE.headers))],
  [
    "print of Python",
    `{${text("': '")
      .map((pair) => `'${pair}'`)
      .join(", ")}}`,
  ],
  [
    "p of Ruby",
    `{${text('"=>"')
      .map((pair) => `"${pair}"`)
      .join(", ")}}`,
  ],
  [
    "Println of Go",
    `map[${text(":[")
      .map((pair) => `${pair}]`)
      .join(" ")}]`,
  ],
])("headers are read from %s", (_, capture) => {
  const read = readCapture(Buffer.from(capture));
  expect(read.body).toBeNull();
  expect(Object.fromEntries(read.headers)).toMatchObject(BASE.headers);
});

it.each([
  ["nothing", " \n", "it is empty"],
  ["an answer", "HTTP/1.1 200 OK\r\nwebhook-id: x\r\n\r\n", "it is an answer, not a request"],
  ["prose", "webhook-id: x\nthis is no header\n", "line 2 is no “Name: value”"],
  ["JSON without headers", "{}", "it has no headers"],
  ["a list of other things", "[1, 2, 3]", "its list is neither pairs of name and value, nor names and values in turn"],
])("a capture that cannot be read says why: %s", (_, capture, message) => {
  expect(() => readCapture(Buffer.from(capture))).toThrow(new CaptureProblem(message));
});

it.each([
  ["quotes", (secret: string) => `"${secret}"`, "STOPWATCH_SECRET has quotes around it."],
  ["a line break", (secret: string) => `${secret}\n`, "STOPWATCH_SECRET has blanks or a line break around it."],
  ["no whsec_", (secret: string) => secret.slice(6), "STOPWATCH_SECRET has lost its whsec_."],
  [
    "a part missing",
    (secret: string) => secret.slice(0, 20),
    "STOPWATCH_SECRET is not whsec_ and base64: a part of it is missing, or changed.",
  ],
  [
    "an API key",
    () => "sw_test_00000000000000000000000000000000abcdef",
    "STOPWATCH_SECRET is an API key, not a signing secret.",
  ],
])("a secret that is written wrongly is named: %s", (_, change, message) => {
  const variables = variablesOf(BASE);
  const secrets = secretsOfVariables({ ...variables, STOPWATCH_SECRET: change(variables.STOPWATCH_SECRET as string) });
  const { headers } = readCapture(Buffer.from(JSON.stringify(BASE.headers)));
  const { problems } = diagnose({ headers, body: bodyOf(BASE) }, secrets, { receivedAtMs: BASE.received_at * 1_000 });
  expect(problems[0]).toMatchObject({ code: "malformed_secret", message });
});

it("secrets of others that begin with whsec_ are not taken for the receiver's", () => {
  const variables = {
    STRIPE_WEBHOOK_SECRET: "whsec_abcdefghijklmnopqrstuvwxyz012345",
    MY_HOOKS: variablesOf(BASE).STOPWATCH_SECRET,
  };
  expect(secretsOfVariables(variables).map(({ name }) => name)).toEqual(["MY_HOOKS"]);
});

it("what re-serialises is undone for any JSON: JSON.stringify, with and without indents", () => {
  const secret = secretsOfVariables(variablesOf(BASE)).slice(0, 1);
  const [{ value }] = secret as [KnownSecret];
  fc.assert(
    fc.property(
      fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())),
      fc.constantFrom(0, 2, 4, "\t"),
      (json, indent) => {
        const [sent, seen] = [JSON.stringify(json, null, indent), JSON.stringify(json, null, indent === 0 ? 2 : 0)];
        fc.pre(sent !== seen && seen !== "{}" && seen !== "[]");
        const mac = createHmac("sha256", value).update(`1767225600.${sent}`).digest("hex");
        const headers = [["x-service-signature", `t=1767225600,v1=${mac}`]] as const;
        const { problems } = diagnose({ headers, body: Buffer.from(seen) }, secret, {
          receivedAtMs: 1_767_225_600_000,
        });
        expect(problems.map(({ code }) => code)).toEqual(["reserialised"]);
      },
    ),
    { numRuns: 50 },
  );
});

it.each([
  ...SIGN_VECTORS.map((vector) => ({
    ...vector,
    signature_header: vector.expected,
    expected: "accept",
    verify_at: vector.timestamp,
  })),
  ...STANDARD_VECTORS,
])("agrees with every receiver about webhook-signature: $name", (vector) => {
  const headers = [
    ["webhook-id", vector.msg_id],
    ["webhook-timestamp", String(vector.timestamp)],
    ["webhook-signature", vector.signature_header],
  ] as const;
  expect(fits(headers, vector.payload, vector.secret, vector.verify_at)).toBe(vector.expected === "accept");
});

// Stripe's libraries refuse an empty body, which is signed rightly.
it.each(STRIPE_VECTORS.filter(({ payload }) => payload !== ""))("agrees with Stripe's library: $name", (vector) => {
  const headers = [["x-service-signature", vector.header]] as const;
  expect(fits(headers, vector.payload, vector.verify_with, vector.verify_at)).toBe(vector.expected === "accept");
});

function fits(headers: Capture["headers"], payload: string, secret: string, verifyAt: number): boolean {
  const value = secret.startsWith("whsec_") ? secret : `whsec_${secret}`;
  const secrets = [{ name: "it", value, env: null, role: null, isReceivers: true }];
  return diagnose({ headers, body: Buffer.from(payload) }, secrets, { receivedAtMs: verifyAt * 1_000 }).fits;
}

it("no sentence quotes a secret or the body", () => {
  for (const vector of VERIFY_VECTORS) {
    const said = JSON.stringify(diagnoseVector(vector));
    for (const { value } of secretsOf(vector)) expect(said).not.toContain(value.slice(6, 20));
    expect(said).not.toContain("café");
  }
});
