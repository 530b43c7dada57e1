import { inspect } from "node:util";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, test } from "vitest";
import { generateSigningSecret, loadSigningSecret, signRequest } from "#domain/signing.ts";
import { StopwatchError, verifySignature } from "../../../sdk/src/index.ts";
import { SIGN_VECTORS, VERIFY_VECTORS } from "./signature-vectors.ts";

const SECRET = generateSigningSecret();
const ID = "sch_01kdsg0000e00800000000000z";
const NOW_S = 1_767_225_600;
const BODY = '{"customer": "cus_81"}';

/** What the service sends, as Node.js shows it. */
function headersOf(body: string, secrets = [SECRET], timestampSeconds = NOW_S): Record<string, string> {
  const keys = secrets.map(loadSigningSecret);
  const signed = signRequest({ keys, scheduleId: ID, timestampSeconds, body: Buffer.from(body) });
  return Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]));
}

const OPTIONS = { secrets: [SECRET], now: new Date(NOW_S * 1_000) };

async function problemOf(verifying: Promise<unknown>): Promise<StopwatchError> {
  const error = await verifying.then(
    () => new Error("it was accepted"),
    (error: unknown) => error,
  );
  if (!StopwatchError.is(error)) throw error;
  return error;
}

test.each(SIGN_VECTORS)("verifySignature accepts what Standard Webhooks signs: $name", async (vector) => {
  const headers = {
    "webhook-id": vector.msg_id,
    "webhook-timestamp": String(vector.timestamp),
    "webhook-signature": vector.expected,
  };
  const options = { secrets: [vector.secret], now: vector.timestamp * 1_000 };
  const delivery = await verifySignature({ headers, body: vector.payload }, options);
  expect(delivery.scheduleId).toBe(vector.msg_id);
  expect(delivery.sentAt).toEqual(new Date(vector.timestamp * 1_000));
  expect(delivery.text()).toBe(vector.payload);
});

const REASONS: Record<string, string> = {
  "Message timestamp too old": "too_old",
  "Message timestamp too new": "too_new",
  "No matching signature found": "no_match",
};

test.each(VERIFY_VECTORS)("verifySignature accepts and refuses as Standard Webhooks does: $name", async (vector) => {
  const headers = {
    "webhook-id": vector.msg_id,
    "webhook-timestamp": String(vector.timestamp),
    "webhook-signature": vector.signature_header,
  };
  const verifying = verifySignature(
    { headers, body: vector.payload },
    { secrets: [vector.secret], now: new Date(vector.verify_at * 1_000) },
  );
  if (vector.expected === "accept") expect((await verifying).bytes).toEqual(new TextEncoder().encode(vector.payload));
  else {
    const error = await problemOf(verifying);
    expect(error.code).toBe("INVALID_SIGNATURE");
    expect(error.reason).toBe(REASONS[vector.reason as string]);
  }
});

test("verifySignature accepts every body that the official library or the service signs", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
      const body = Buffer.from(text).toString();
      const at = new Date(NOW_S * 1_000);
      const headers = {
        "webhook-id": ID,
        "webhook-timestamp": String(NOW_S),
        "webhook-signature": new Webhook(SECRET).sign(ID, at, body),
      };
      expect((await verifySignature({ headers, body }, OPTIONS)).text()).toBe(
        new TextDecoder().decode(Buffer.from(body)),
      );
      expect((await verifySignature({ headers: headersOf(body), body }, OPTIONS)).scheduleId).toBe(ID);
    }),
    { numRuns: 50 },
  );
});

describe("headers", () => {
  const headers = headersOf(BODY);
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
  const distinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));

  it.each([
    ["a Headers", new Headers(headers)],
    ["a Map", new Map(Object.entries(headers)) as unknown as Headers],
    ["an object in lower case", headers],
    ["an object in upper case", upper],
    ["Node's headersDistinct", distinct],
  ])("may be %s", async (_, given) => {
    expect((await verifySignature({ headers: given, body: BODY }, OPTIONS)).scheduleId).toBe(ID);
  });

  it("may have the signatures in two headers, as a list or joined", async () => {
    const [right, wrong] = [headers["webhook-signature"] as string, "v1,K+tM7bYwWkGKBkIbY97isTzabe4X3TVwIH/nKDHWHCU="];
    for (const value of [[wrong, right], [right, wrong], `${wrong}, ${right}`, `${right}, ${wrong}`]) {
      const given = { ...headers, "webhook-signature": value };
      expect((await verifySignature({ headers: given, body: BODY }, OPTIONS)).scheduleId).toBe(ID);
    }
  });

  it.each(["webhook-id", "webhook-timestamp", "webhook-signature"])(
    "without %s are refused by its name",
    async (name) => {
      for (const value of [undefined, "", []]) {
        const error = await problemOf(verifySignature({ headers: { ...headers, [name]: value }, body: BODY }, OPTIONS));
        expect(error).toMatchObject({ code: "INVALID_SIGNATURE", reason: "missing_header" });
        expect(error.message).toContain(name);
      }
    },
  );

  it("that are undefined count as missing", async () => {
    const request = { headers: undefined as never, body: BODY };
    expect((await problemOf(verifySignature(request, OPTIONS))).reason).toBe("missing_header");
  });

  it.each([
    ["webhook-timestamp", "soon"],
    ["webhook-timestamp", "-1767225600"],
    ["webhook-timestamp", "1767225600.5"],
    ["webhook-timestamp", "1767225600, 1767225600"],
    ["webhook-timestamp", ["1767225600", "1767225601"]],
    ["webhook-id", `${ID}, ${ID}`],
    ["webhook-id", "a.b"],
  ])("with %s %j are malformed", async (name, value) => {
    const error = await problemOf(verifySignature({ headers: { ...headers, [name]: value }, body: BODY }, OPTIONS));
    expect(error).toMatchObject({ code: "INVALID_SIGNATURE", reason: "malformed_header" });
  });

  it("cannot move a dot between the id and the body", async () => {
    const body = `${NOW_S}.{}`;
    const signed = headersOf(body, [SECRET], 1);
    const moved = { ...signed, "webhook-id": `${ID}.1`, "webhook-timestamp": String(NOW_S) };
    expect((await problemOf(verifySignature({ headers: moved, body: "{}" }, OPTIONS))).reason).toBe("malformed_header");
  });

  it("are checked for the first eight signatures only, so that thousands of them cost no more", async () => {
    const wrong = "v1,K+tM7bYwWkGKBkIbY97isTzabe4X3TVwIH/nKDHWHCU= ";
    const many = { ...headers, "webhook-signature": wrong.repeat(8) + headers["webhook-signature"] };
    expect((await problemOf(verifySignature({ headers: many, body: BODY }, OPTIONS))).reason).toBe("no_match");
  });
});

describe("secrets", () => {
  it("are all tried, and the result names the first that fits", async () => {
    const others = Array.from({ length: 7 }, generateSigningSecret);
    const request = { headers: headersOf(BODY), body: BODY };
    expect((await verifySignature(request, { ...OPTIONS, secrets: [...others, SECRET] })).secretIndex).toBe(7);
    expect((await verifySignature(request, { ...OPTIONS, secrets: [SECRET, ...others] })).secretIndex).toBe(0);
    expect((await problemOf(verifySignature(request, { ...OPTIONS, secrets: others }))).reason).toBe("no_match");
  });

  it("of both sides of a rotation fit while both sign", async () => {
    const former = generateSigningSecret();
    const request = { headers: headersOf(BODY, [SECRET, former]), body: BODY };
    for (const secret of [SECRET, former]) {
      expect((await verifySignature(request, { ...OPTIONS, secrets: [secret] })).secretIndex).toBe(0);
    }
  });

  it.each([
    ["none", []],
    ["nine", Array(9).fill(SECRET)],
    ["nothing", undefined],
    ["one text", SECRET],
  ])("must be a list of one to eight: %s", async (_, secrets) => {
    const options = { ...OPTIONS, secrets: secrets as string[] };
    const error = await problemOf(verifySignature({ headers: headersOf(BODY), body: BODY }, options));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", details: [{ path: "secrets" }] });
    expect(error.message).toContain("[current, next]");
  });

  it.each([undefined, "", "whsec_", `${SECRET}\n`, ` ${SECRET}`, `"${SECRET}"`, "whsec_TfKQ9r8", "whsec__-_-", 7])(
    "that are malformed are named, and not shown: %j",
    async (secret) => {
      const options = { ...OPTIONS, secrets: [SECRET, secret as string] };
      const error = await problemOf(verifySignature({ headers: headersOf(BODY), body: BODY }, options));
      expect(error).toMatchObject({ code: "INVALID_ARGUMENT", reason: "malformed_secret" });
      expect(error.details[0]?.path).toBe("secrets[1]");
      expect(inspect(error)).not.toContain(SECRET.slice(6, 20));
    },
  );
});

describe("time", () => {
  const request = { headers: headersOf(BODY), body: BODY };

  it("may differ by toleranceSeconds in either direction", async () => {
    const at = (offset: number) => ({ secrets: [SECRET], toleranceSeconds: 10, now: NOW_S * 1_000 + offset });
    for (const offset of [-10_000, 0, 10_999]) {
      expect((await verifySignature(request, at(offset))).scheduleId).toBe(ID);
    }
    expect((await problemOf(verifySignature(request, at(-10_001)))).reason).toBe("too_new");
    expect((await problemOf(verifySignature(request, at(11_000)))).reason).toBe("too_old");
  });

  it("is this machine's clock by default", async () => {
    const now = Math.floor(Date.now() / 1_000);
    const fresh = { headers: headersOf(BODY, [SECRET], now), body: BODY };
    expect((await verifySignature(fresh, { secrets: [SECRET] })).scheduleId).toBe(ID);
    expect((await problemOf(verifySignature(request, { secrets: [SECRET] }))).reason).toBe("too_old");
  });

  it.each([{ toleranceSeconds: Number.NaN }, { toleranceSeconds: -1 }, { now: new Date("never") }])(
    "that cannot be compared makes the signature invalid: %o",
    async (options) => {
      expect((await problemOf(verifySignature(request, { ...OPTIONS, ...options }))).code).toBe("INVALID_SIGNATURE");
    },
  );
});

describe("the body", () => {
  const post = (body: string) =>
    new Request("https://example.com/hook", { method: "POST", headers: headersOf(body), body });

  it("of a Request can be read after the check, more than once", async () => {
    const delivery = await verifySignature(post(BODY), OPTIONS);
    expect(delivery.text()).toBe(BODY);
    expect(delivery.json()).toEqual({ customer: "cus_81" });
    expect(delivery.json<{ customer: string }>().customer).toBe("cus_81");
    expect(Buffer.from(delivery.bytes).toString()).toBe(BODY);
  });

  it("may be bytes that are no text", async () => {
    const body = Buffer.from([0x00, 0xff, 0xfe, 0x80]);
    const keys = [loadSigningSecret(SECRET)];
    const headers = signRequest({ keys, scheduleId: ID, timestampSeconds: NOW_S, body });
    for (const given of [body, new Uint8Array(body)]) {
      expect(Buffer.from((await verifySignature({ headers, body: given }, OPTIONS)).bytes)).toEqual(body);
    }
  });

  it("may be absent, as of a GET", async () => {
    const request = new Request("https://example.com/hook", { headers: headersOf("") });
    expect((await verifySignature(request, OPTIONS)).text()).toBe("");
  });

  it("is not looked at without secrets, which the error names", async () => {
    const error = await problemOf(verifySignature(post(BODY), undefined as never));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", details: [{ path: "secrets" }] });
  });

  it("that was read before is refused with how to do it", async () => {
    const request = post(BODY);
    await request.text();
    const error = await problemOf(verifySignature(request, OPTIONS));
    expect(error).toMatchObject({ code: "INVALID_SIGNATURE", reason: "body_used" });
    expect(error.message).toContain("verify first");
  });

  it.each([[{ customer: "cus_81" }], [undefined], [null], [7], [["a"]]])(
    "that was parsed is refused with how to do it: %j",
    async (body) => {
      const error = await problemOf(verifySignature({ headers: headersOf(BODY), body: body as never }, OPTIONS));
      expect(error).toMatchObject({ code: "INVALID_SIGNATURE", reason: "body_parsed" });
      expect(error.message).toContain("raw body");
    },
  );

  it("that is no JSON fails to parse without being quoted", async () => {
    const body = "4111111111111111 is a secret number";
    const delivery = await verifySignature({ headers: headersOf(body), body }, OPTIONS);
    expect(() => delivery.json()).toThrow(StopwatchError);
    try {
      delivery.json();
    } catch (error) {
      expect(inspect(error)).not.toContain("41111");
    }
  });

  it("that was changed by one byte fits no secret", async () => {
    const error = await problemOf(verifySignature({ headers: headersOf(BODY), body: `${BODY} ` }, OPTIONS));
    expect(error).toMatchObject({ code: "INVALID_SIGNATURE", reason: "no_match" });
  });
});

it("verifySignature returns unsigned headers separately, malformed or absent ones as null", async () => {
  const headers = {
    ...headersOf(BODY),
    "X-Service-Attempt": "3",
    "X-Service-Fire-At": "2026-01-01T00:00:00.250Z",
  };
  expect((await verifySignature({ headers, body: BODY }, OPTIONS)).unsigned).toEqual({
    attempt: 3,
    fireAt: new Date("2026-01-01T00:00:00.250Z"),
  });
  const odd = { ...headers, "X-Service-Attempt": "x", "X-Service-Fire-At": "soon" };
  expect((await verifySignature({ headers: odd, body: BODY }, OPTIONS)).unsigned).toEqual({
    attempt: null,
    fireAt: null,
  });
  expect((await verifySignature({ headers: headersOf(BODY), body: BODY }, OPTIONS)).unsigned).toEqual({
    attempt: null,
    fireAt: null,
  });
});

it("no error holds a header's value, the body or a secret", async () => {
  const headers = { ...headersOf(BODY), "webhook-id": "canary-id", "x-other": "canary-header" };
  const other = generateSigningSecret();
  for (const options of [
    { ...OPTIONS, secrets: [other] },
    { secrets: [other] },
    { secrets: [other, "canary-secret"] },
  ]) {
    const error = await problemOf(verifySignature({ headers, body: "canary-body" }, options));
    const shown = `${inspect(error, { depth: 9, showHidden: true })}${JSON.stringify(error)}${error.message}`;
    expect(shown).not.toMatch(/canary/);
    expect(shown).not.toContain(other.slice(6, 16));
  }
});
