import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { generateSigningSecret, loadSigningSecret, signRequest } from "#domain/signing.ts";

type Vector = { name: string; timestamp: number; payload: string };
type SignVector = Vector & { kind: "sign"; secret: string; msg_id: string; expected: string; payload_bytes: number };
type VerifyVector = Vector & {
  kind: "verify";
  secret: string;
  msg_id: string;
  signature_header: string;
  verify_at: number;
  expected: "accept" | "reject";
  reason?: string;
};
type StripeVector = Vector & { kind: "stripe-format"; secrets: string[]; header: string };

const { vectors } = JSON.parse(readFileSync(new URL("../../vectors/signatures.json", import.meta.url), "utf8")) as {
  vectors: (SignVector | VerifyVector | StripeVector)[];
};

const sign = (secrets: string[], scheduleId: string, timestampSeconds: number, payload: string) =>
  signRequest({ keys: secrets.map(loadSigningSecret), scheduleId, timestampSeconds, body: Buffer.from(payload) });

const verifyAt = (seconds: number) => vi.useFakeTimers({ now: seconds * 1_000, toFake: ["Date"] });

afterEach(() => vi.useRealTimers());

describe("webhook-signature", () => {
  test.each(vectors.filter((vector) => vector.kind === "sign"))("follows Standard Webhooks: $name", (vector) => {
    expect(Buffer.byteLength(vector.payload)).toBe(vector.payload_bytes);
    expect(sign([vector.secret], vector.msg_id, vector.timestamp, vector.payload)).toMatchObject({
      "webhook-id": vector.msg_id,
      "webhook-timestamp": String(vector.timestamp),
      "webhook-signature": vector.expected,
    });
  });

  test.each(vectors.filter((vector) => vector.kind === "verify"))(
    "is checked in these tests by a strict library: $name",
    (vector) => {
      verifyAt(vector.verify_at);
      const verify = () =>
        new Webhook(vector.secret).verify(vector.payload, {
          "webhook-id": vector.msg_id,
          "webhook-timestamp": String(vector.timestamp),
          "webhook-signature": vector.signature_header,
        });
      if (vector.expected === "accept") expect(verify()).toEqual(JSON.parse(vector.payload));
      else expect(verify).toThrow(vector.reason);
    },
  );

  test("verifies with the Standard Webhooks library for every payload, with the current and with the former secret", () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 0, max: 253_402_300_799 }), (payload, seconds) => {
        verifyAt(seconds);
        const secrets = [generateSigningSecret(), generateSigningSecret()];
        const headers = sign(secrets, "sch_01kdsg0000e00800000000000z", seconds, payload);
        for (const secret of secrets) {
          expect(new Webhook(secret).verify(payload, headers)).toEqual(JSON.parse(payload));
        }
        expect(() => new Webhook(generateSigningSecret()).verify(payload, headers)).toThrow("No matching signature");
      }),
      { numRuns: 30 },
    );
  });
});

describe("X-Service-Signature", () => {
  test.each(vectors.filter((vector) => vector.kind === "stripe-format"))(
    "follows Stripe's signature scheme: $name",
    (vector) => {
      const headers = sign(vector.secrets, "sch_any", vector.timestamp, vector.payload);
      expect(headers["X-Service-Signature"]).toBe(vector.header);
    },
  );

  test("signs bytes that are not text as they are", () => {
    const secret = generateSigningSecret();
    const body = Buffer.from([0x00, 0xff, 0xfe, 0x80]);
    const headers = signRequest({ keys: [loadSigningSecret(secret)], scheduleId: "sch_x", timestampSeconds: 7, body });
    const expected = createHmac("sha256", secret)
      .update(Buffer.concat([Buffer.from("7."), body]))
      .digest("hex");
    expect(headers["X-Service-Signature"]).toBe(`t=7,v1=${expected}`);
  });
});

test("with a former secret each signature header has a second v1, the current one first", () => {
  const [current, former] = [generateSigningSecret(), generateSigningSecret()];
  const both = sign([current, former], "sch_x", 1_767_225_600, "{}");
  const ofCurrent = sign([current], "sch_x", 1_767_225_600, "{}");
  const ofFormer = sign([former], "sch_x", 1_767_225_600, "{}");
  expect(both["webhook-signature"]).toBe(`${ofCurrent["webhook-signature"]} ${ofFormer["webhook-signature"]}`);
  expect(both["X-Service-Signature"]).toBe(
    `${ofCurrent["X-Service-Signature"]},${ofFormer["X-Service-Signature"].replace("t=1767225600,", "")}`,
  );
});

test("a generated signing secret is whsec_ and base64 of 32 bytes, and never repeats", () => {
  const secret = generateSigningSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(generateSigningSecret()).not.toBe(secret);
});

test.each(["", "whsec_", "whsec_no base64", "whsec_TfKQ9r8", "whsec__-_-"])(
  "a signing secret that is not base64 is refused without showing it: %j",
  (secret) => {
    expect(() => loadSigningSecret(secret)).toThrow("a signing secret must be whsec_ and base64");
  },
);
