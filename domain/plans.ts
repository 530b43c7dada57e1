import { z } from "zod";
import type { RetryStrategy } from "./retry.ts";

export const PLAN_NAMES = ["free", "indie"] as const;

export type PlanName = (typeof PLAN_NAMES)[number];

/**
 * The limits of a plan. For a relay setting, the field of the same name is its default; `…Min` and `…Max` bound the saved
 * value. `cpsLimit` is both default and maximum.
 */
export type PlanLimits = {
  /** Schedules a month (UTC) before the grace zone. */
  monthlyQuota: number;
  /** Test schedules a month, without grace. */
  testMonthlyQuota: number;
  /** UTF-8 bytes of one payload. */
  payloadBytesMax: number;
  bulkItemsMax: number;
  /** Days for which attempts are shown, and payloads and headers of terminal schedules are kept. */
  retentionDays: number;
  /** Days for which terminal schedules are kept, with their idempotency keys. */
  terminalDays: number;
  /** API requests per minute and account. */
  requestsPerMinute: number;
  /** Sessions of an account. A sign-in beyond ends the one that was not used for longest. */
  sessionsMax: number;
  /** Identities at providers that sign in to an account. */
  identitiesMax: number;
  /** API keys that are not revoked, of both environments together. */
  apiKeysMax: number;
  /** API keys that are created or rotated within 24 hours, of both environments together. */
  apiKeysPerDay: number;
  /** Operations that are started within 24 hours in one environment. */
  operationsPerDay: number;
  /** Recurrences in one environment. */
  recurrencesMax: number;
  /** The shortest time between two instants of a recurrence, ms. */
  recurrenceSpacingMsMin: number;
  cpsLimit: number;
  retryAttempts: number;
  retryAttemptsMax: number;
  retryBackoffMs: number;
  retryBackoffMsMin: number;
  retryBackoffMsMax: number;
  retryStrategy: RetryStrategy;
  retryStrategies: readonly RetryStrategy[];
  earlyFire: boolean;
};

export type Plans = Record<PlanName, PlanLimits>;

/** All retry strategies, in display order. */
export const RETRY_STRATEGIES = ["exponential", "linear", "fixed"] as const satisfies RetryStrategy[];

const FREE: PlanLimits = {
  monthlyQuota: 2_000,
  testMonthlyQuota: 1_000,
  payloadBytesMax: 51_200,
  bulkItemsMax: 100,
  retentionDays: 7,
  terminalDays: 90,
  requestsPerMinute: 600,
  sessionsMax: 50,
  identitiesMax: 10,
  apiKeysMax: 100,
  apiKeysPerDay: 200,
  operationsPerDay: 200,
  recurrencesMax: 10,
  recurrenceSpacingMsMin: 60_000,
  cpsLimit: 20,
  retryAttempts: 4,
  retryAttemptsMax: 4,
  retryBackoffMs: 30_000,
  retryBackoffMsMin: 1_000,
  retryBackoffMsMax: 3_600_000,
  retryStrategy: "exponential",
  retryStrategies: [...RETRY_STRATEGIES],
  earlyFire: false,
};

const INDIE: PlanLimits = {
  ...FREE,
  monthlyQuota: 50_000,
  payloadBytesMax: 262_144,
  bulkItemsMax: 500,
  retentionDays: 30,
  terminalDays: 365,
  requestsPerMinute: 6_000,
  operationsPerDay: 2_000,
  recurrencesMax: 500,
  recurrenceSpacingMsMin: 10_000,
  cpsLimit: 500,
  retryAttemptsMax: 9,
};

/**
 * The plans with the operator's overrides from PLANS, merged key by key, such as `{"free":{"monthlyQuota":100000}}`; the
 * defaults when `json` is undefined. Throws an Error that lists each invalid key with its path, the expectation and the value.
 */
export function parsePlans(json: string | undefined): Plans {
  const parsed = overrides.safeParse(json === undefined ? {} : parseJson(json), { reportInput: true });
  if (!parsed.success) throw new Error(parsed.error.issues.flatMap(problems).join("; "));
  const { free, indie } = parsed.data as Partial<Record<PlanName, Partial<PlanLimits>>>;
  const plans: Plans = { free: { ...FREE, ...free }, indie: { ...INDIE, ...indie } };
  const contradictory = Object.entries(plans).flatMap(([name, limits]) => contradictions(name, limits));
  if (contradictory.length > 0) throw new Error(contradictory.join("; "));
  return plans;
}

/** The grace limit of a monthly quota, up to which creates are accepted: 110 % of the quota, rounded down. */
export function graceLimit(quota: number): number {
  return quota + (quota - (quota % 10)) / 10;
}

/** Bytes of the body of any call but a bulk call, and of one item of a bulk call. */
export const BODY_BYTES_MAX = 2 * 1024 * 1024;

const BULK_BODY_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Bytes of the body of a bulk call: as many as the plan's largest batch has when every byte of its payloads is escaped
 * (`\u0000`), but at least `BODY_BYTES_MAX` and at most 32 MiB.
 */
export function bulkBodyBytesMax({ bulkItemsMax, payloadBytesMax }: PlanLimits): number {
  return Math.min(BULK_BODY_BYTES_MAX, Math.max(BODY_BYTES_MAX, bulkItemsMax * payloadBytesMax * 6));
}

/**
 * Bytes of the form of a new schedule on any plan. It has the largest payload with every line break as two bytes, after
 * an error also the previous payload with every byte escaped, and the other fields. At least 1 MiB, so that a payload
 * that is too large gets its own error, and at most 8 MiB.
 */
export function formBytesMax(plans: Plans): number {
  const payloadBytes = Math.max(...Object.values(plans).map(({ payloadBytesMax }) => payloadBytesMax));
  return Math.min(FORM_BYTES_MAX, Math.max(FORM_BYTES_MIN, payloadBytes * (2 + 6) + FORM_BYTES_REST));
}

/** As `bodySizeLimit` in next.config.ts. */
const FORM_BYTES_MAX = 8 * 1024 * 1024;
const FORM_BYTES_MIN = 1024 * 1024;
const FORM_BYTES_REST = 64 * 1024;

function integer(min: number, max: number) {
  return z.custom<number>(
    (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
    `expected an integer from ${min} to ${max}`,
  );
}

const strategy = z.enum(RETRY_STRATEGIES, `expected one of ${RETRY_STRATEGIES.join(", ")}`);

// The maximum quota plus grace fits a Postgres integer.
const limits = z
  .strictObject(
    {
      monthlyQuota: integer(0, 1_000_000_000),
      testMonthlyQuota: integer(0, 1_000_000_000),
      payloadBytesMax: integer(1, BODY_BYTES_MAX),
      bulkItemsMax: integer(1, 10_000),
      retentionDays: integer(1, 3_650),
      terminalDays: integer(1, 36_500),
      requestsPerMinute: integer(1, 1_000_000),
      sessionsMax: integer(1, 10_000),
      identitiesMax: integer(1, 1_000),
      apiKeysMax: integer(1, 10_000),
      apiKeysPerDay: integer(1, 100_000),
      operationsPerDay: integer(1, 100_000),
      recurrencesMax: integer(0, 10_000),
      recurrenceSpacingMsMin: integer(1, 365 * 86_400_000),
      cpsLimit: integer(1, 100_000),
      retryAttempts: integer(0, 1_000),
      retryAttemptsMax: integer(0, 1_000),
      retryBackoffMs: integer(1, 3_600_000),
      retryBackoffMsMin: integer(1, 3_600_000),
      retryBackoffMsMax: integer(1, 3_600_000),
      retryStrategy: strategy,
      retryStrategies: z
        .array(strategy, "expected a list of strategies")
        .min(1, "expected at least one strategy")
        .refine((list) => new Set(list).size === list.length, "expected each strategy once"),
      earlyFire: z.boolean("expected true or false"),
    } satisfies Record<keyof PlanLimits, z.ZodType>,
    "expected an object of limits",
  )
  .partial();

const overrides = z.strictObject(
  { free: limits.optional(), indie: limits.optional() },
  "expected an object with the plans free and indie",
);

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Error('expected JSON such as {"free":{"monthlyQuota":100000,"cpsLimit":500}}, got something else');
  }
}

function problems(issue: z.core.$ZodIssue): string[] {
  if (issue.code === "unrecognized_keys") {
    const known = Object.keys(issue.path.length === 0 ? overrides.shape : limits.shape);
    return issue.keys.map((key) => `${[...issue.path, key].join(".")}: unknown, expected one of ${known.join(", ")}`);
  }
  return [`${issue.path.join(".") || "the whole"}: ${issue.message}, got ${JSON.stringify(issue.input)}`];
}

function contradictions(name: string, plan: PlanLimits): string[] {
  const found: string[] = [];
  const expect = (holds: boolean, key: keyof PlanLimits, expected: string) => {
    if (!holds) found.push(`${name}.${key}: expected ${expected}, got ${JSON.stringify(plan[key])}`);
  };
  const { retentionDays, retryAttemptsMax, retryBackoffMs, retryBackoffMsMin, retryBackoffMsMax } = plan;
  expect(plan.terminalDays >= retentionDays, "terminalDays", `at least retentionDays (${retentionDays})`);
  expect(plan.retryAttempts <= retryAttemptsMax, "retryAttempts", `at most retryAttemptsMax (${retryAttemptsMax})`);
  expect(
    retryBackoffMs >= retryBackoffMsMin && retryBackoffMs <= retryBackoffMsMax,
    "retryBackoffMs",
    `retryBackoffMsMin to retryBackoffMsMax (${retryBackoffMsMin} to ${retryBackoffMsMax})`,
  );
  expect(
    plan.retryStrategies.includes(plan.retryStrategy),
    "retryStrategy",
    `one of retryStrategies (${plan.retryStrategies.join(", ")})`,
  );
  return found;
}
