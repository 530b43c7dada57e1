import { Webhook } from "standardwebhooks";
import { expect, it, test, vi } from "vitest";
import { generateSigningSecret, loadSigningSecret, signRequest } from "#domain/signing.ts";
import { signDelivery } from "../../../sdk/src/receive.ts";
import { SIGN_VECTORS, STRIPE_VECTORS } from "./signature-vectors.ts";

test.each(SIGN_VECTORS)("signDelivery follows Standard Webhooks: $name", async (vector) => {
  const { secret, payload: body, msg_id: scheduleId, timestamp } = vector;
  expect(await signDelivery({ secret, body, scheduleId, at: timestamp * 1_000 })).toMatchObject({
    "webhook-id": scheduleId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": vector.expected,
  });
});

test.each(STRIPE_VECTORS)("signDelivery follows Stripe's scheme: $name", async (vector) => {
  const headers = await signDelivery({
    secret: vector.verify_with,
    body: vector.payload,
    at: new Date(vector.timestamp * 1_000),
  });
  expect(headers["X-Service-Signature"]).toBe(vector.header);
});

it("signDelivery adds the headers that the service adds, by default with a new id and the current time", async () => {
  vi.useFakeTimers({ now: 1_767_225_600_250, toFake: ["Date"] });
  try {
    const secret = generateSigningSecret();
    const headers = await signDelivery({ secret, body: "{}" });
    const scheduleId = headers["webhook-id"];
    const keys = [loadSigningSecret(secret)];
    expect(headers).toEqual({
      ...signRequest({ keys, scheduleId, timestampSeconds: 1_767_225_600, body: Buffer.from("{}") }),
      "X-Service-Schedule-Id": scheduleId,
      "X-Service-Attempt": "1",
      "X-Service-Fire-At": "2026-01-01T00:00:00.250Z",
    });
    expect((await signDelivery({ secret, body: "{}" }))["webhook-id"]).not.toBe(scheduleId);
    expect(() => new Webhook(secret).verify("{}", headers)).not.toThrow();
  } finally {
    vi.useRealTimers();
  }
});

it("signDelivery refuses a malformed secret without showing it", async () => {
  await expect(signDelivery({ secret: "canary", body: "" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await expect(signDelivery({ secret: "canary", body: "" })).rejects.not.toThrow(/canary/);
});
