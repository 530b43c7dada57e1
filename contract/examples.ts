const id = "sch_01kbm5qk4f8rz3c2x7w9v6n1ta";

export const CREATED_EXAMPLE = {
  id,
  fire_at: "2031-01-01T09:00:00.000Z",
  status: "scheduled",
  over_limit: false,
  replayed: false,
  mismatch: false,
};

export const BULK_EXAMPLE = {
  accepted: [
    { index: 0, id, fire_at: "2031-01-01T09:00:00.000Z", status: "scheduled" },
    {
      index: 2,
      id: "sch_01kbm5qk4f8rz3c2x7w9v6n1tb",
      fire_at: "2031-01-01T09:05:00.000Z",
      status: "scheduled",
      replayed: true,
    },
  ],
  rejected: [{ index: 1, code: "VALIDATION", message: "fireAt must be in the future" }],
};

const FAILED_ATTEMPT = {
  attempt: 1,
  status_code: 503,
  latency_ms: 84,
  error_text: "try again later",
  attempted_at: "2031-01-01T09:00:00.001Z",
  via: null,
};

export const ATTEMPTS_EXAMPLE = {
  items: [{ ...FAILED_ATTEMPT, timing: { late: 0.412, claim: 1.9, wait: 0, connect: 41.7, first_byte: 83.6 } }],
  next_attempt_at: "2031-01-01T09:00:31.207Z",
  retention_days: 30,
};

export const LOG_EXAMPLE = {
  items: [
    { schedule_id: id, target_url: "https://example.com/hook", method: "POST", ...FAILED_ATTEMPT, late_ms: 0.412 },
  ],
  total: 1,
  limit: 20,
  offset: 0,
  next_cursor: null,
  retention_days: 30,
};

const NO_OUTCOMES = { code_2xx: 0, code_3xx: 0, code_4xx: 0, code_5xx: 0, code_none: 0, interrupted: 0 };

export const OVERVIEW_EXAMPLE = {
  period: "24h",
  from: "2031-01-01T08:00:00.000Z",
  to: "2031-01-01T10:00:00.000Z",
  active_schedules: 12,
  success_rate: 0.98,
  offset_ms: { p50: 0, p95: 2, min: 0, max: 41 },
  recent_volume: 51,
  histogram: [
    { ms: 0, count: 31 },
    { ms: 1, count: 15 },
    { ms: 2, count: 3 },
    { ms: 41, count: 1 },
  ],
  series: [
    { t: "2031-01-01T08:00:00.000Z", count: 0, p50: null, p95: null },
    { t: "2031-01-01T09:00:00.000Z", count: 50, p50: 0, p95: 2 },
  ],
  outcomes: [
    { t: "2031-01-01T08:00:00.000Z", ...NO_OUTCOMES },
    { t: "2031-01-01T09:00:00.000Z", ...NO_OUTCOMES, code_2xx: 50, code_5xx: 1 },
  ],
  ended: { delivered: 50, dead: 0, success_rate: 1 },
  incidents: [
    {
      host: "example.com",
      code: 503,
      class: "5xx",
      error: "try again later",
      dead: 0,
      retrying: 1,
      replays_delivered: 0,
      replays_open: 0,
      from: "2031-01-01T09:00:00.000Z",
      to: "2031-01-01T09:00:00.001Z",
      next_attempt_at: "2031-01-01T09:00:31.207Z",
      operation_id: null,
    },
  ],
  hosts: [
    {
      host: "example.com",
      attempts: 51,
      ...NO_OUTCOMES,
      code_2xx: 50,
      code_5xx: 1,
      dead: 0,
      last_error: "try again later",
    },
  ],
  needs_attention: { failed: 1, due_soon: 3, dead: 0 },
};

export const USAGE_EXAMPLE = {
  period: "203101",
  plan: "indie",
  scheduled: 51,
  limit: 50_000,
  grace_limit: 55_000,
  over_limit: false,
  limits: { bulk_items: 500, payload_bytes: 262_144, requests_per_minute: 6_000 },
};

const PUNCTUALITY_SUMMARY_EXAMPLE = {
  window: "24h",
  sent: 81_204,
  on_time_rate: 0.9998,
  on_time_within_ms: 250,
  offset_ms: { p50: 0, p95: 2 },
  updated_at: "2031-01-01T09:00:00.000Z",
};

const FIRST_QUARTER_MS = Date.UTC(2030, 11, 31, 9, 15);

/** All were sent in the last quarter of an hour. */
export const PUNCTUALITY_EXAMPLE = {
  ...PUNCTUALITY_SUMMARY_EXAMPLE,
  histogram: [
    { ms: 0, count: 60_422 },
    { ms: 1, count: 16_001 },
    { ms: 2, count: 4_765 },
    { ms: 296, count: 16 },
  ],
  series: Array.from({ length: 96 }, (_, quarter) => ({
    t: new Date(FIRST_QUARTER_MS + quarter * 900_000).toISOString(),
    ...(quarter === 95 ? { count: 81_204, p50: 0, p95: 2 } : { count: 0, p50: null, p95: null }),
  })),
};

export const SIGNING_SECRETS_EXAMPLE = {
  current: `whsec_${"A".repeat(43)}=`,
  next: `whsec_${"B".repeat(43)}=`,
  rotated_at: null,
};

export const PROFILE_EXAMPLE = {
  user: {
    id: "acc_01kbm5qk4f8rz3c2x7w9v6n1ta",
    email: "ada@example.com",
    name: "Ada Lovelace",
    avatarUrl: null,
    status: "active",
    emailVerified: true,
    notices: true,
    createdAt: "2030-12-24T18:00:00.000Z",
  },
  authSource: "session",
  apiKey: null,
  subscription: { plan: "indie", status: "active", currentPeriodEnd: "2031-02-01T00:00:00.000Z", manageable: true },
  isAdmin: false,
};

export const SESSIONS_EXAMPLE = {
  items: [
    {
      id: "ses_01kbm5qk4f8rz3c2x7w9v6n1ta",
      userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0",
      createdAt: "2030-12-24T18:00:00.000Z",
      lastUsedAt: "2030-12-30T08:12:00.000Z",
      expiresAt: "2031-01-06T08:12:00.000Z",
      current: true,
    },
  ],
};

export const SECURITY_EVENT_EXAMPLE = {
  id: "evt_01kbm5qk4f8rz3c2x7w9v6n1ta",
  kind: "api_key_created",
  at: "2030-12-24T18:00:00.000Z",
  lastAt: "2030-12-24T18:00:00.000Z",
  count: 1,
  by: { kind: "session", id: "ses_01kbm5qk4f8rz3c2x7w9v6n1ta" },
  apiKey: { id: "key_01kbm5qk4f8rz3c2x7w9v6n1ta", name: "production server", env: "live" },
  scheduleId: null,
  sessionId: null,
  env: null,
  provider: null,
  reason: null,
  network: "203.0.113.0/24",
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0",
};

export const IDENTITIES_EXAMPLE = {
  items: [{ id: "idn_01kbm5qk4f8rz3c2x7w9v6n1ta", provider: "google", createdAt: "2030-12-24T18:00:00.000Z" }],
};

export const API_KEY_EXAMPLE = {
  id: "key_01kbm5qk4f8rz3c2x7w9v6n1ta",
  name: "production server",
  env: "live",
  prefix: "sw_live_",
  last4: "0x9Q",
  created_at: "2030-12-24T18:00:00.000Z",
  last_used_at: null,
  revoked_at: null,
  expires_at: null,
};

export const NEW_API_KEY_EXAMPLE = { ...API_KEY_EXAMPLE, key: `sw_live_${"0".repeat(34)}0x9Q` };

const KNOBS = {
  cpsLimit: 500,
  retryAttempts: 4,
  retryBackoffMs: 30_000,
  retryStrategy: "exponential",
  earlyFire: false,
};

export const RELAY_SETTINGS_EXAMPLE = {
  cpsLimit: 10,
  retryAttempts: null,
  retryBackoffMs: null,
  retryStrategy: null,
  earlyFire: null,
  testDeliveriesToListeners: false,
  testDeliveriesToListenersUntil: null,
  effective: { ...KNOBS, cpsLimit: 10 },
  limits: {
    cpsLimit: { min: 1, max: 500 },
    retryAttempts: { min: 0, max: 9 },
    retryBackoffMs: { min: 1_000, max: 3_600_000 },
    retryStrategy: ["exponential", "linear", "fixed"],
  },
  defaults: KNOBS,
};

export const METRICS_EXAMPLE = {
  dispatchers: [
    {
      id: "0197c8f2-6a3e-7c41-9d58-2f0b1e6a7c34",
      host: "worker-1",
      pid: 4711,
      version: "1.0.0",
      started_at: "2031-01-01T08:00:00.000Z",
      beat_at: "2031-01-01T09:00:00.412Z",
      beat_age_ms: 870,
      alive: true,
      skew_ms: 0.3,
      shards: 64,
    },
  ],
  queue: { due: 0, firing: 3, scheduled: 1204, failed: 7, oldest_due_ms: 0, estimated: false },
  snapshot: { held_ms: 0, transactions: 0 },
  punctuality: PUNCTUALITY_SUMMARY_EXAMPLE,
};
