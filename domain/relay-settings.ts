import { z } from "zod";
import { AppError } from "./errors.ts";
import { type PlanLimits, RETRY_STRATEGIES } from "./plans.ts";
import type { RetryStrategy } from "./retry.ts";

export type RelaySettings = {
  cpsLimit: number;
  retryAttempts: number;
  retryBackoffMs: number;
  retryStrategy: RetryStrategy;
  earlyFire: boolean;
};

/** The saved settings of an account; null inherits the plan's default. */
export type SavedRelaySettings = { [Knob in keyof RelaySettings]: RelaySettings[Knob] | null };

/** The settings of an account that has saved none. */
export const INHERITED_RELAY_SETTINGS: SavedRelaySettings = {
  cpsLimit: null,
  retryAttempts: null,
  retryBackoffMs: null,
  retryStrategy: null,
  earlyFire: null,
};

/**
 * The saved settings, and until when test keys may receive all test deliveries of the account (`GET /v1/listen?scope=all`);
 * null where they may not.
 */
export type AccountRelaySettings = SavedRelaySettings & { testDeliveriesUntil: Date | null };

/** Days after which test keys may no longer receive all test deliveries, unless it is allowed again. */
export const TEST_DELIVERIES_DAYS = 7;

/**
 * The settings that apply: saved ones clamped to the plan's limits, which may have changed since, and the plan's defaults
 * for the rest.
 */
export function effectiveRelaySettings(saved: SavedRelaySettings, plan: PlanLimits): RelaySettings {
  const defaults = defaultRelaySettings(plan);
  const limits = relayLimits(plan);
  return {
    cpsLimit: clamp(saved.cpsLimit ?? defaults.cpsLimit, limits.cpsLimit),
    retryAttempts: clamp(saved.retryAttempts ?? defaults.retryAttempts, limits.retryAttempts),
    retryBackoffMs: clamp(saved.retryBackoffMs ?? defaults.retryBackoffMs, limits.retryBackoffMs),
    retryStrategy: limits.retryStrategy.find((offered) => offered === saved.retryStrategy) ?? defaults.retryStrategy,
    earlyFire: saved.earlyFire ?? defaults.earlyFire,
  };
}

/** The response body of GET and PATCH relay-settings. */
export function presentRelaySettings(saved: AccountRelaySettings, plan: PlanLimits) {
  return {
    cpsLimit: saved.cpsLimit,
    retryAttempts: saved.retryAttempts,
    retryBackoffMs: saved.retryBackoffMs,
    retryStrategy: saved.retryStrategy,
    earlyFire: saved.earlyFire,
    testDeliveriesToListeners: saved.testDeliveriesUntil !== null,
    testDeliveriesToListenersUntil: saved.testDeliveriesUntil?.toISOString() ?? null,
    effective: effectiveRelaySettings(saved, plan),
    limits: relayLimits(plan),
    defaults: defaultRelaySettings(plan),
  };
}

/** Descriptions of the settings in the API document. */
export const KNOBS = {
  cpsLimit: "Outgoing requests per second: first bytes sent within any second, per environment.",
  retryAttempts: "Retries after the first attempt.",
  retryBackoffMs: "The base of the wait before a retry, ms.",
  retryStrategy:
    "How the wait grows: `fixed` base; `linear` base times the retry's number; `exponential` doubled each time.",
  earlyFire: "Default of `early_fire` for new schedules: send slightly ahead of `fire_at`, to arrive on time.",
} as const satisfies Record<keyof RelaySettings, string>;

export const TEST_DELIVERIES_SWITCH = `Whether test keys may receive all test deliveries of the account, payloads included (\`GET /v1/listen?scope=all\`). It ends by itself after ${TEST_DELIVERIES_DAYS} days; \`true\` begins them anew.`;

const wholeNumber = z
  .number("must be a whole number or null")
  .refine(Number.isInteger, "must be a whole number or null")
  .meta({ type: "integer" })
  .nullable()
  .optional();

/** Body of PATCH relay-settings: omitted settings stay unchanged, null inherits the default. Limits are clamped later. */
export const relaySettingsPatch = z.strictObject({
  cpsLimit: wholeNumber.describe(KNOBS.cpsLimit),
  retryAttempts: wholeNumber.describe(KNOBS.retryAttempts),
  retryBackoffMs: wholeNumber.describe(KNOBS.retryBackoffMs),
  retryStrategy: z
    .enum(RETRY_STRATEGIES, `must be one of ${RETRY_STRATEGIES.join(", ")} or null`)
    .nullable()
    .optional()
    .describe(KNOBS.retryStrategy),
  earlyFire: z.boolean("must be true, false or null").nullable().optional().describe(KNOBS.earlyFire),
  testDeliveriesToListeners: z
    .boolean("must be true, false or null")
    .nullable()
    .optional()
    .describe(TEST_DELIVERIES_SWITCH),
});

export type RelaySettingsPatch = z.infer<typeof relaySettingsPatch>;

/**
 * Clamps the numbers of a patch to the plan's limits; leaves null and omitted settings. Throws VALIDATION for a strategy
 * that the plan does not offer.
 */
export function clampRelaySettings(patch: RelaySettingsPatch, plan: PlanLimits): RelaySettingsPatch {
  const limits = relayLimits(plan);
  if (patch.retryStrategy && !limits.retryStrategy.includes(patch.retryStrategy)) {
    const message = `must be one of ${limits.retryStrategy.join(", ")} or null`;
    throw new AppError("VALIDATION", `retryStrategy ${message}`, { details: [{ path: "retryStrategy", message }] });
  }
  const clamped = { ...patch };
  for (const knob of ["cpsLimit", "retryAttempts", "retryBackoffMs"] as const) {
    const value = patch[knob];
    if (typeof value === "number") clamped[knob] = clamp(value, limits[knob]);
  }
  return clamped;
}

type Range = { min: number; max: number };

function relayLimits(plan: PlanLimits) {
  return {
    cpsLimit: { min: 1, max: plan.cpsLimit },
    retryAttempts: { min: 0, max: plan.retryAttemptsMax },
    retryBackoffMs: { min: plan.retryBackoffMsMin, max: plan.retryBackoffMsMax },
    retryStrategy: plan.retryStrategies,
  };
}

function defaultRelaySettings(plan: PlanLimits): RelaySettings {
  return {
    cpsLimit: plan.cpsLimit,
    retryAttempts: plan.retryAttempts,
    retryBackoffMs: plan.retryBackoffMs,
    retryStrategy: plan.retryStrategy,
    earlyFire: plan.earlyFire,
  };
}

function clamp(value: number, { min, max }: Range): number {
  return Math.min(Math.max(value, min), max);
}
