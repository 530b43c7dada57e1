import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { SIGNING_SECRETS_EXAMPLE } from "./examples.ts";
import { InstantText } from "./fields.ts";

const Secret = z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/);

const SigningSecretsAnswer = z
  .strictObject({
    current: Secret.describe("Signs every request."),
    next: Secret.describe("Becomes the current one at the next rotation. Receivers should accept both."),
    rotated_at: InstantText.nullable().describe("When they were last rotated; null when they never were."),
  })
  .meta({ id: "SigningSecrets", description: "The secrets that deliveries of one environment are signed with." });

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
  description: "For 24 hours deliveries are signed with the former secret too.",
  auth: "any",
  hasEnv: true,
  responses: {
    200: {
      description: "The secrets as they are now.",
      schema: SigningSecretsAnswer,
      example: SIGNING_SECRETS_EXAMPLE,
    },
  },
});
