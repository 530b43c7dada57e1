import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { API_KEY_EXAMPLE, NEW_API_KEY_EXAMPLE } from "./examples.ts";
import { Env, InstantText, KeyId } from "./fields.ts";
import { ApiKeyInput, RotateInput } from "./inputs/api-key-input.ts";

const ApiKeyAnswer = z
  .strictObject({
    id: KeyId.describe("Names the key, in paths too; it is not the key."),
    name: z.string().describe("What its owner calls it."),
    env: Env.describe("The environment that it belongs to."),
    prefix: z.enum(["sw_live_", "sw_test_"]).describe("The beginning of its raw value."),
    last4: z.string().length(4).describe("The end of its raw value."),
    created_at: InstantText.describe("When it was created."),
    last_used_at: InstantText.nullable().describe("When it was last used, to the minute; null when it never was."),
    revoked_at: InstantText.nullable().describe("When it was revoked or expired; null while it is valid."),
    expires_at: InstantText.nullable().describe(
      "When it expires or expired, of a key that was rotated with an overlap; otherwise null.",
    ),
  })
  .meta({ id: "ApiKey", description: "An API key, without its raw value." });

/** The only response that contains a raw key. */
const NewApiKeyAnswer = z
  .strictObject({
    ...ApiKeyAnswer.shape,
    key: z
      .string()
      .regex(/^sw_(live|test)_[0-9A-Za-z]{38}$/)
      .describe("The raw value, shown this once."),
  })
  .meta({ id: "NewApiKey", description: "An API key with its raw value." });

const ApiKeysAnswer = z
  .strictObject({ items: z.array(ApiKeyAnswer).describe("The keys, newest first.") })
  .meta({ id: "ApiKeys", description: "The keys of an account." });

const tag = "API keys";

export const listApiKeys = endpoint({
  operationId: "listApiKeys",
  method: "GET",
  path: "/v1/api-keys",
  tag,
  summary: "List the account's keys of both environments, newest first.",
  description:
    "At most 1,000; of more than that, revoked ones are left out first. A revoked key is listed for 30 days, and then deleted.",
  auth: "session",
  responses: {
    200: {
      description: "The keys, without their raw values.",
      schema: ApiKeysAnswer,
      example: { items: [API_KEY_EXAMPLE] },
    },
  },
});

export const createApiKey = endpoint({
  operationId: "createApiKey",
  method: "POST",
  path: "/v1/api-keys",
  tag,
  summary: "Create a key.",
  description:
    "A live key needs a session that was started within the last day: FORBIDDEN otherwise. An account may have 100 keys that are not revoked, of both environments together: CONFLICT beyond. It may create and rotate 200 within 24 hours: RATE_LIMITED beyond. (The plans of an installation can say otherwise.)",
  auth: "session",
  body: ApiKeyInput,
  bodyExample: { name: "production server", env: "live" },
  responses: {
    201: { description: "The key, with its raw value.", schema: NewApiKeyAnswer, example: NEW_API_KEY_EXAMPLE },
  },
  errors: ["CONFLICT"],
});

export const rotateApiKey = endpoint({
  operationId: "rotateApiKey",
  method: "POST",
  path: "/v1/api-keys/{id}/rotate",
  tag,
  summary: "Replace a key: the old value is revoked and a new one issued in one step.",
  description:
    "With `overlapHours` the old key stays valid for so long and then expires; it can be revoked before. Both keys count until then, so CONFLICT where they would be too many, and a key that was rotated already cannot be rotated again. A live key needs a session that was started within the last day: FORBIDDEN otherwise. The replacement has an id of its own, and the name and environment of the old key. It counts as a key that is created: RATE_LIMITED beyond 200 within 24 hours, and the old key is then kept.",
  auth: "session",
  body: RotateInput,
  isBodyOptional: true,
  bodyExample: { overlapHours: 4 },
  responses: {
    201: { description: "The replacement, with its raw value.", schema: NewApiKeyAnswer, example: NEW_API_KEY_EXAMPLE },
  },
  errors: ["NOT_FOUND", "CONFLICT"],
});

export const revokeApiKey = endpoint({
  operationId: "revokeApiKey",
  method: "POST",
  path: "/v1/api-keys/{id}/revoke",
  tag,
  summary: "Revoke a key, at once and for good.",
  auth: "session",
  responses: { 204: { description: "The key is revoked, or was before.", schema: null } },
  errors: ["NOT_FOUND"],
});
