import { afterEach, describe, expect, it, vi } from "vitest";
import { generateSigningSecret } from "#domain/signing.ts";
import { Stopwatch, verifySignature, verifyStripeStyle } from "../../../sdk/src/index.ts";
import { receive, receiveNode, signDelivery } from "../../../sdk/src/receive.ts";
import { fakeStopwatch } from "../../../sdk/src/testing.ts";

const OWN = generateSigningSecret();
const [KNOWN = ""] = fakeStopwatch().secrets;
const BODY = '{"order":81}';
const OPTIONS = { secrets: [undefined, OWN], onDelivery() {} };

afterEach(() => vi.unstubAllEnvs());

const signedBy = (secret: string) => signDelivery({ secret, body: BODY });

describe("in development a receiver accepts", () => {
  it.each([
    ["the known secret", KNOWN, 0],
    ["one that was given", OWN, 1],
  ])("%s, in both kinds of signature", async (_name, secret, secretIndex) => {
    vi.stubEnv("STOPWATCH_DEV", "true");
    const headers = await signedBy(secret);
    expect(await verifySignature({ headers, body: BODY }, OPTIONS)).toMatchObject({ secretIndex });
    const stripe = { header: headers["X-Service-Signature"], body: BODY };
    expect(await verifyStripeStyle(stripe, OPTIONS)).toMatchObject({ secretIndex });
    const request = new Request("https://example.com/", { method: "POST", headers, body: BODY });
    expect((await receive(OPTIONS)(request)).status).toBe(200);
  });

  it("the known secret after those that were given, also after seven", async () => {
    vi.stubEnv("STOPWATCH_DEV", "1");
    const headers = await signedBy(KNOWN);
    for (const count of [1, 7]) {
      const secrets = Array.from({ length: count }, generateSigningSecret);
      expect(await verifySignature({ headers, body: BODY }, { secrets })).toMatchObject({ secretIndex: count });
    }
  });

  it("no other secret, no list without one and none with more than eight", async () => {
    vi.stubEnv("STOPWATCH_DEV", "1");
    const request = { headers: await signedBy(generateSigningSecret()), body: BODY };
    await expect(verifySignature(request, OPTIONS)).rejects.toMatchObject({ reason: "no_match" });
    for (const secrets of [undefined, [], Array(9).fill(OWN)]) {
      const wrong = { secrets } as typeof OPTIONS;
      await expect(verifySignature(request, wrong)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    }
  });
});

describe.each([undefined, "", "0", "false"])("where STOPWATCH_DEV is %j", (value) => {
  it("the known secret is not accepted, and a secret that is not set is refused", async () => {
    vi.stubEnv("STOPWATCH_DEV", value);
    const request = { headers: await signedBy(KNOWN), body: BODY };
    await expect(verifySignature(request, { secrets: [OWN] })).rejects.toMatchObject({ reason: "no_match" });
    await expect(verifySignature(request, OPTIONS)).rejects.toMatchObject({ reason: "malformed_secret" });
  });

  it("a client needs a key", () => {
    vi.stubEnv("STOPWATCH_DEV", value);
    vi.stubEnv("STOPWATCH_API_KEY", undefined);
    expect(() => new Stopwatch()).toThrow("is missing");
  });
});

describe.each([
  ["1", "production"],
  ["true", "production"],
  ["yes", "development"],
  ["TRUE", "development"],
  ["10", "development"],
  [" 1", "development"],
])("where STOPWATCH_DEV is %j and NODE_ENV %s", (value, mode) => {
  const refusal = { code: "INVALID_ARGUMENT", details: [{ path: "STOPWATCH_DEV" }] };
  const stub = () => {
    vi.stubEnv("STOPWATCH_DEV", value);
    vi.stubEnv("NODE_ENV", mode);
  };

  it.each([
    ["a client", () => new Stopwatch()],
    ["receive", () => receive(OPTIONS)],
    ["receiveNode", () => receiveNode(OPTIONS)],
  ])("%s is refused when it is made", async (_name, make) => {
    stub();
    await expect(async () => make()).rejects.toMatchObject(refusal);
  });

  it("no delivery is verified", async () => {
    const headers = await signedBy(KNOWN);
    stub();
    await expect(verifySignature({ headers, body: BODY }, { secrets: [KNOWN] })).rejects.toMatchObject(refusal);
    const stripe = { header: headers["X-Service-Signature"], body: BODY };
    await expect(verifyStripeStyle(stripe, { secrets: [KNOWN] })).rejects.toMatchObject(refusal);
  });
});

it("in production without STOPWATCH_DEV a client and a receiver are made as ever", () => {
  vi.stubEnv("NODE_ENV", "production");
  expect(() => receive(OPTIONS)).not.toThrow();
  const { apiKey, options } = fakeStopwatch();
  expect(() => new Stopwatch(apiKey, options)).not.toThrow();
});
