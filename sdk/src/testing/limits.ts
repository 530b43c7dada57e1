export type Plan = "free" | "indie";

export type Limits = {
  monthlyQuota: number;
  testMonthlyQuota: number;
  payloadBytes: number;
  bulkItems: number;
  retentionDays: number;
  terminalDays: number;
  requestsPerMinute: number;
  retryAttempts: number;
  operationsPerDay: number;
};

const FREE: Limits = {
  monthlyQuota: 2_000,
  testMonthlyQuota: 1_000,
  payloadBytes: 51_200,
  bulkItems: 100,
  retentionDays: 7,
  terminalDays: 90,
  requestsPerMinute: 600,
  retryAttempts: 4,
  operationsPerDay: 200,
};

/** What the plans of a new installation allow. */
export const LIMITS: { readonly [Name in Plan]: Limits } = {
  free: FREE,
  indie: {
    ...FREE,
    monthlyQuota: 50_000,
    payloadBytes: 262_144,
    bulkItems: 500,
    retentionDays: 30,
    terminalDays: 365,
    requestsPerMinute: 6_000,
    retryAttempts: 9,
    operationsPerDay: 2_000,
  },
};
