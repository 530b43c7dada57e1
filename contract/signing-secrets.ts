import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { SIGNING_SECRETS_EXAMPLE } from "./examples.ts";
import { InstantText } from "./fields.ts";
import { IDEMPOTENCY_FIELDS, IDEMPOTENCY_HEADERS } from "./idempotency.ts";

const Secret = z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/);

const SigningSecretsAnswer = z
  .strictObject({
    current: Secret.describe("Signs every request."),
    next: Secret.describe("Becomes the current one at the next rotation. Receivers should accept both."),
    rotated_at: InstantText.nullable().describe("When they were last rotated; null when they never were."),
  })
  .meta({ id: "SigningSecrets", description: "The secrets that deliveries of one environment are signed with." });

const RotatedSecretsAnswer = SigningSecretsAnswer.extend({ replayed: IDEMPOTENCY_FIELDS.replayed }).meta({
  id: "RotatedSigningSecrets",
  description: "The secrets after a rotation.",
});

const tag = "Signing secrets";

export const getSigningSecrets = endpoint({
  operationId: "getSigningSecrets",
  method: "GET",
  path: "/v1/signing-secrets",
  tag,
  summary: "Get the current and the next signing secret.",
  auth: "any",
  hasEnv: true,
  responses: {
    200: {
      description: "The secrets of this environment.",
      schema: SigningSecretsAnswer,
      example: SIGNING_SECRETS_EXAMPLE,
    },
  },
});

export const rotateSigningSecrets = endpoint({
  operationId: "rotateSigningSecrets",
  method: "POST",
  path: "/v1/signing-secrets/rotate",
  tag,
  summary: "Make the next secret the current one, and a new next one.",
  description:
    "For 24 hours deliveries are signed with the former secret too. A call without an answer can be repeated with the same `Idempotency-Key` within 24 hours: it rotates once, and each repeat answers as the first call did. An environment may have 100 such keys in that time (RATE_LIMITED beyond).",
  auth: "any",
  hasEnv: true,
  requestHeaders: { "Idempotency-Key": "Names this rotation: 1 to 255 characters of visible ASCII and spaces." },
  responses: {
    200: {
      description: "The secrets as they are now; of a repeat, as they were after the first call.",
      schema: RotatedSecretsAnswer,
      example: { ...SIGNING_SECRETS_EXAMPLE, rotated_at: "2031-01-01T09:00:00.000Z", replayed: false },
      headers: { "Idempotent-Replayed": IDEMPOTENCY_HEADERS["Idempotent-Replayed"] },
    },
  },
});
