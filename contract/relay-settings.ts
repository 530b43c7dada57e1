import { z } from "zod";
import { RETRY_STRATEGIES } from "#domain/plans.ts";
import { KNOBS, relaySettingsPatch, TEST_DELIVERIES_SWITCH } from "#domain/relay-settings.ts";
import { endpoint } from "./endpoint.ts";
import { RELAY_SETTINGS_EXAMPLE } from "./examples.ts";
import { InstantText } from "./fields.ts";

const Strategy = z.enum(RETRY_STRATEGIES);
const Range = z.strictObject({ min: z.int().describe("The least."), max: z.int().describe("The most.") });
const Knobs = z.strictObject({
  cpsLimit: z.int().describe(KNOBS.cpsLimit),
  retryAttempts: z.int().describe(KNOBS.retryAttempts),
  retryBackoffMs: z.int().describe(KNOBS.retryBackoffMs),
  retryStrategy: Strategy.describe(KNOBS.retryStrategy),
  earlyFire: z.boolean().describe(KNOBS.earlyFire),
});

const RelaySettingsAnswer = z
  .strictObject({
    cpsLimit: z.int().nullable().describe(KNOBS.cpsLimit),
    retryAttempts: z.int().nullable().describe(KNOBS.retryAttempts),
    retryBackoffMs: z.int().nullable().describe(KNOBS.retryBackoffMs),
    retryStrategy: Strategy.nullable().describe(KNOBS.retryStrategy),
    earlyFire: z.boolean().nullable().describe(KNOBS.earlyFire),
    testDeliveriesToListeners: z.boolean().describe(TEST_DELIVERIES_SWITCH),
    testDeliveriesToListenersUntil: InstantText.nullable().describe("When that ends; null while it is off."),
    effective: Knobs.describe("The settings that apply: saved values clamped to the limits, defaults for the rest."),
    limits: z
      .strictObject({
        cpsLimit: Range.describe("The bounds of the outgoing requests per second."),
        retryAttempts: Range.describe("Of the retries."),
        retryBackoffMs: Range.describe("The bounds of the base wait."),
        retryStrategy: z.array(Strategy).readonly().describe("The strategies to choose from."),
      })
      .describe("What the plan allows."),
    defaults: Knobs.describe("The plan's defaults."),
  })
  .meta({
    id: "RelaySettings",
    description: "The saved values, null where the plan's default applies, and the settings that result.",
  });

const tag = "Relay settings";

export const getRelaySettings = endpoint({
  operationId: "getRelaySettings",
  method: "GET",
  path: "/v1/me/relay-settings",
  tag,
  summary: "Get the saved settings, those that apply, the plan's limits and its defaults.",
  auth: "session",
  responses: { 200: { description: "The settings.", schema: RelaySettingsAnswer, example: RELAY_SETTINGS_EXAMPLE } },
});

export const updateRelaySettings = endpoint({
  operationId: "updateRelaySettings",
  method: "PATCH",
  path: "/v1/me/relay-settings",
  tag,
  summary: "Change how the account's schedules are delivered, including existing ones.",
  description:
    "Omitted settings stay unchanged, null restores the plan's default, and numbers are clamped to the plan's limits.",
  auth: "session",
  body: relaySettingsPatch,
  bodyExample: { cpsLimit: 10, retryStrategy: "linear", retryBackoffMs: null },
  responses: {
    200: { description: "The settings as they are now.", schema: RelaySettingsAnswer, example: RELAY_SETTINGS_EXAMPLE },
  },
});
