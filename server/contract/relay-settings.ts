import { z } from "zod";
import { RETRY_STRATEGIES } from "#domain/plans.ts";
import { relaySettingsPatch } from "#domain/relay-settings.ts";
import { endpoint } from "./endpoint.ts";
import { RELAY_SETTINGS_EXAMPLE } from "./examples.ts";

const Strategy = z.enum(RETRY_STRATEGIES);
const Range = z.strictObject({ min: z.int(), max: z.int() });
const Knobs = z.strictObject({
  cpsLimit: z.int(),
  retryAttempts: z.int(),
  retryBackoffMs: z.int(),
  retryStrategy: Strategy,
  earlyFire: z.boolean(),
});

const RelaySettingsAnswer = z
  .strictObject({
    cpsLimit: z.int().nullable(),
    retryAttempts: z.int().nullable(),
    retryBackoffMs: z.int().nullable(),
    retryStrategy: Strategy.nullable(),
    earlyFire: z.boolean().nullable(),
    effective: Knobs,
    limits: z.strictObject({
      cpsLimit: Range,
      retryAttempts: Range,
      retryBackoffMs: Range,
      retryStrategy: z.array(Strategy).readonly(),
    }),
    defaults: Knobs,
  })
  .meta({ id: "RelaySettings" });

const tag = "Relay settings";

export const getRelaySettings = endpoint({
  operationId: "getRelaySettings",
  method: "GET",
  path: "/v1/me/relay-settings",
  tag,
  summary: "What the account has saved, what applies, what the plan allows and what it has by default.",
  auth: "session",
  answers: { 200: { description: "The settings.", schema: RelaySettingsAnswer, example: RELAY_SETTINGS_EXAMPLE } },
});

export const updateRelaySettings = endpoint({
  operationId: "updateRelaySettings",
  method: "PATCH",
  path: "/v1/me/relay-settings",
  tag,
  summary: "Change how the account's schedules are delivered, those that exist included.",
  description:
    "What is omitted stays as it is, null goes back to the plan's default, and a number outside the plan's limits is brought inside them.",
  auth: "session",
  body: relaySettingsPatch,
  bodyExample: { cpsLimit: 10, retryStrategy: "linear", retryBackoffMs: null },
  answers: {
    200: { description: "The settings as they are now.", schema: RelaySettingsAnswer, example: RELAY_SETTINGS_EXAMPLE },
  },
});
