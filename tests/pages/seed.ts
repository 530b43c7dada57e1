import type postgres from "postgres";
import type { KeyRing } from "#domain/cipher.ts";
import { encodeId, newId } from "#domain/ids.ts";
import { generateSessionToken, hashSessionToken } from "#domain/session-token.ts";
import { createTestAccount } from "../helpers/accounts.ts";
import { recordTestAttempt, type TestAttempt } from "../helpers/attempts.ts";
import { createTestSchedule, type ScheduleOverrides } from "../helpers/schedules.ts";

export type SeededAccount = {
  /** UUID. */
  id: string;
  /** The value of its session cookie. */
  session: string;
  /** The id of a schedule in each state. */
  schedules: Readonly<Record<string, string>>;
  keyId: string;
  /** Absent when there is none. */
  identityId?: string;
  /** The key of a recurrence in each status; absent when there is none. */
  recurrences?: Readonly<Record<string, string>>;
  /** The id of an operation in each status; absent when there is none. */
  operations?: Readonly<Record<string, string>>;
};

export const OWNER = "ana@example.com";
export const NEWCOMER = "newcomer@example.com";
export const ADMIN = "admin@example.com";

const MINUTE_MS = 60_000;
const PATHS = ["hooks/trial-ends", "jobs/settle?batch=2031-03-27T15", "v2/holds/8812/release"];

/**
 * Fills a migrated database for looking at pages: an account with schedules, attempts and keys in every state, one
 * without anything, and an administrator.
 */
export async function seedPages(sql: postgres.Sql, keyRing: KeyRing) {
  const owner = await seedOwner(sql, keyRing);
  const newcomer = await seedAccount(sql, keyRing, NEWCOMER);
  const admin = await seedAccount(sql, keyRing, ADMIN);
  await seedAct(sql, admin.id, owner.id);
  return { owner, newcomer, admin };
}

/** Says that a dispatcher is running. Call it again within 15 s. */
export async function beat(sql: postgres.Sql): Promise<void> {
  await sql`
    INSERT INTO dispatchers (id, host, pid, version, started_at, beat_at, skew_ms)
    VALUES (${BEATING}, 'worker-1', 4711, '0.1.0', now() - interval '3 days', now(), 0.3)
    ON CONFLICT (id) DO UPDATE SET beat_at = now()`;
}

const BEATING = "00000000-0000-7000-8000-00000000beaf";

async function seedAccount(sql: postgres.Sql, keyRing: KeyRing, email: string): Promise<SeededAccount> {
  const { id } = await createTestAccount(sql, keyRing, { plan: email === OWNER ? "indie" : "free" });
  await sql`UPDATE accounts SET email = ${email}, email_verified_at = now() WHERE id = ${id}`;
  return { id, session: await createSession(sql, id), schedules: {}, keyId: "" };
}

/** Starts a session of a day. Returns the value of its cookie. */
export async function createSession(sql: postgres.Sql, accountId: string): Promise<string> {
  const token = generateSessionToken();
  await sql`
    INSERT INTO sessions (token_hash, account_id, expires_at)
    VALUES (${hashSessionToken(token)}, ${accountId}, now() + interval '1 day')`;
  return token;
}

async function seedOwner(sql: postgres.Sql, keyRing: KeyRing): Promise<SeededAccount> {
  const account = await seedAccount(sql, keyRing, OWNER);
  const create = (n: number, aheadMs: number, overrides: ScheduleOverrides = {}) =>
    createTestSchedule(
      ...([sql, keyRing, account.id, `https://api.example.com/${PATHS[n % PATHS.length]}`] as const),
      new Date(Date.now() + aheadMs),
      { payload: '{"customer":"cus_81"}', headers: [["Content-Type", "application/json"]], ...overrides },
    );
  const attempted = (n: number, ...attempts: Omit<TestAttempt, "attemptedAt">[]) => attemptedWith({}, n, ...attempts);
  const attemptedWith = async (
    overrides: ScheduleOverrides,
    n: number,
    ...attempts: Omit<TestAttempt, "attemptedAt">[]
  ) => {
    const id = await create(n, 90 * MINUTE_MS, overrides);
    const startMs = Date.now() - (n + 1) * 3 * MINUTE_MS;
    for (const [at, attempt] of attempts.entries()) {
      await recordTestAttempt(sql, id, { attemptedAt: new Date(startMs + at * 30_000), ...attempt });
    }
    return id;
  };
  const unavailable = { statusCode: 503, errorText: '{"error":"settlement window closed"}', latencyMs: 84 };
  const unreachable = { statusCode: null, errorText: "no answer within 30 s", latencyMs: 30_000 };

  const schedules = {
    scheduled: await create(0, 45 * MINUTE_MS),
    soon: await create(1, 18 * MINUTE_MS, { method: "PUT" }),
    early: await create(2, 20 * MINUTE_MS, { early: true }),
    firing: await seedFiring(sql, await create(1, 50 * MINUTE_MS)),
    failed: await attempted(3, { ...unavailable, offsetMs: 4 }, unreachable),
    dead: await attemptedWith(
      { delivery: DELIVERY },
      4,
      { ...unavailable, offsetMs: 31 },
      { ...unreachable, status: "dead" },
    ),
    succeeded: await attempted(5, { offsetMs: 3 }),
    late: await attempted(6, { offsetMs: 304, latencyMs: 912 }),
    retried: await attempted(7, { ...unavailable, offsetMs: 0 }, { statusCode: 200 }),
    cancelled: await seedCancelled(sql, await create(2, 70 * MINUTE_MS)),
  };
  for (let n = 0; n < 40; n++) await create(n, (60 + 7 * n) * MINUTE_MS);
  for (let n = 0; n < 60; n++) await attempted(8 + n, { offsetMs: n % 9 });
  await create(0, 60 * MINUTE_MS, { env: "test" });
  const encoded = Object.entries(schedules).map(([state, id]) => [state, encodeId("sch", id)]);
  return {
    ...account,
    schedules: Object.fromEntries(encoded),
    keyId: await seedKeys(sql, account.id),
    identityId: await seedIdentities(sql, account.id),
    recurrences: await seedRecurrences(sql, account.id, attempted),
    operations: await seedOperations(sql, account.id),
  };
}

const DELIVERY = {
  ...{ timeoutMs: 5_000, retryDelaysMs: [30_000], giveUpStatuses: [410, "400-404"] },
  ...{ expiresAtMs: Date.UTC(2031, 2, 27, 9), expiresInMs: 7_200_000 },
};

async function seedFiring(sql: postgres.Sql, id: string): Promise<string> {
  await sql`
    UPDATE schedules SET status = 'firing', version = version + 1, attempts = 1, fire_at = now(), claimed_at = now(),
      claim_deadline = now() + interval '1 day', next_attempt_at = now() + interval '1 day'
    WHERE id = ${id}`;
  return id;
}

async function seedCancelled(sql: postgres.Sql, id: string): Promise<string> {
  await sql`
    UPDATE schedules SET status = 'cancelled', version = version + 1, next_attempt_at = NULL, ended_at = now()
    WHERE id = ${id}`;
  return id;
}

async function seedKeys(sql: postgres.Sql, accountId: string): Promise<string> {
  const keys = [
    { name: "production server", env: "live", last4: "0x9Q", revoked: false },
    { name: "staging", env: "test", last4: "k2Lm", revoked: false },
    { name: "an old laptop", env: "live", last4: "7fPw", revoked: true },
  ].map((key) => ({ ...key, id: newId(Date.now()), hash: Buffer.from(key.name.padEnd(32).slice(0, 32)) }));
  for (const { id, name, env, hash, last4, revoked } of keys) {
    await sql`
      INSERT INTO api_keys (id, account_id, env, name, hash, last4, last_used_at, revoked_at)
      VALUES (${id}, ${accountId}, ${env}, ${name}, ${hash}, ${last4}, ${revoked ? null : new Date()},
        ${revoked ? new Date() : null})`;
  }
  return encodeId("key", keys[0]?.id ?? "");
}

/** Two identities, and the events of the security log that an owner would see. */
async function seedIdentities(sql: postgres.Sql, accountId: string): Promise<string> {
  const [google] = await sql`
    INSERT INTO identities (provider, provider_account_id, account_id, created_at)
    VALUES ('google', 'ana', ${accountId}, now() - interval '30 days'),
      ('github', 'ana', ${accountId}, now() - interval '2 days')
    RETURNING id`;
  const key = { keyName: "an old laptop", env: "live" };
  const events = [
    { kind: "signed_in", details: { provider: "google" }, actor: "sign_in", times: 1 },
    { kind: "api_key_created", details: { keyName: "staging", env: "test" }, actor: "session", times: 1 },
    { kind: "api_key_revoked", details: key, actor: "session", times: 1 },
    { kind: "credential_refused", details: { ...key, reason: "revoked" }, actor: null, times: 1_281 },
    { kind: "identity_linked", details: { provider: "github" }, actor: "sign_in", times: 1 },
    { kind: "signing_secrets_rotated", details: { env: "live" }, actor: "api_key", times: 1 },
    { kind: "session_ended", details: {}, actor: "session", times: 2 },
    { kind: "account_reactivated", details: {}, actor: "administrator", times: 1 },
    { kind: "signed_in", details: {}, actor: "sign_in", times: 1 },
  ];
  for (const [at, { kind, details, actor, times }] of events.entries()) {
    const network = actor === "administrator" ? null : "203.0.113.0/24";
    const userAgent = network && "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0";
    const instant = new Date(Date.now() - (at + 1) * 7 * 60 * MINUTE_MS);
    await sql`
      INSERT INTO security_events (id, account_id, kind, at, last_at, times, actor, subject_id, details, network, user_agent)
      VALUES (${newId(Date.now())}, ${accountId}, ${kind}, ${instant}, ${instant}, ${times}, ${actor}, gen_random_uuid(),
        ${sql.json(details)}, ${network}, ${userAgent})`;
  }
  return encodeId("idn", google?.id);
}

type Attempted = (n: number, ...attempts: Omit<TestAttempt, "attemptedAt">[]) => Promise<string>;

/** A recurrence in each status; the active one has occurrences of the last days, and instants that were left out. */
async function seedRecurrences(sql: postgres.Sql, accountId: string, attempted: Attempted) {
  const today = new Date().setUTCHours(8, 0, 0, 0);
  const daysAgo = (days: number) => new Date(today - days * 24 * 60 * MINUTE_MS);
  const leftOut = [{ fromMs: daysAgo(12).getTime(), toMs: daysAgo(11).getTime(), count: 2, reason: "missed" }];
  const recurrences = [
    { key: "daily-report", name: "Daily report", status: "active", cron: "0 9 * * *", leftOut },
    { key: "payroll/é", name: null, status: "paused", cron: "30 2 L * *", leftOut: [] },
    { key: "advent", name: "Advent calendar", status: "ended", cron: "0 7 1-24 12 *", leftOut: [] },
  ].map((recurrence) => ({ ...recurrence, id: newId(Date.now()) }));
  for (const { id, key, name, status, cron, leftOut } of recurrences) {
    await sql`
      INSERT INTO recurrences (id, account_id, env, shard, key, name, status, cron, timezone, on_clock_change, overlap,
        catch_up, spread_ms, ends_at, target_url, origin, method, payload_size_bytes, request_hash, made_until, zone_data,
        lead_ms, next_step_at, left_out, pause_note, created_by)
      VALUES (${id}, ${accountId}, 'live', 0, ${key}, ${name}, ${status}, ${cron}, 'Europe/Berlin', 'first', 'allow',
        'latest', 0, ${status === "ended" ? daysAgo(1) : null}, 'https://api.example.com/reports',
        'https://api.example.com', 'POST', 21, '', now(), '2025a', 90000,
        ${status === "active" ? new Date(Date.now() + 9e8) : null}, ${sql.json(leftOut)},
        ${status === "paused" ? "the office moves" : null}, ${newId(Date.now())})`;
  }
  for (let day = 1; day <= 10; day++) {
    const schedule = await attempted(70 + day, { offsetMs: day % 9 });
    await sql`
      UPDATE schedule_requests SET recurrence_id = ${recurrences[0]?.id ?? ""}, occurrence_at = ${daysAgo(day)}
      WHERE schedule_id = ${schedule}`;
  }
  return Object.fromEntries(recurrences.map(({ key, status }) => [status, key]));
}

async function seedOperations(sql: postgres.Sql, accountId: string): Promise<Record<string, string>> {
  const filter = { statuses: ["scheduled"], q: { text: "trial-ends", scheduleId: null }, fromMs: null, toMs: null };
  const left = { firing: 1, succeeded: 2 };
  const operations = [
    { status: "running", action: "cancel", total: 1_281, acted: 412, left: {} },
    { status: "done", action: "replay", total: 12, acted: 9, left },
    { status: "failed", action: "cancel", total: 40, acted: 3, left: {} },
  ].map((operation) => ({ ...operation, id: newId(Date.now()) }));
  for (const { id, status, action, total, acted, left } of operations) {
    await sql`
      INSERT INTO operations (id, account_id, env, shard, action, status, filter, accepted_at, total, request_hash, acted,
        left_alone, error_code, next_step_at, updated_at, ended_at)
      VALUES (${id}, ${accountId}, 'live', 0, ${action}, ${status}, ${sql.json(filter)}, now(), ${total},
        ${Buffer.alloc(32)}, ${acted}, ${sql.json(left)}, ${status === "failed" ? "INTERNAL" : null},
        now() + interval '1 day', now(), ${status === "running" ? null : new Date()})`;
  }
  return Object.fromEntries(operations.map(({ id, status }) => [status, encodeId("op", id)]));
}

async function seedAct(sql: postgres.Sql, adminId: string, subjectId: string): Promise<void> {
  await sql`
    INSERT INTO audit_log (id, actor, actor_id, action, subject_id, before, after)
    VALUES (${newId(Date.now())}, 'admin', ${adminId}, 'set_plan', ${subjectId},
      ${sql.json({ grantedPlan: "free" })}, ${sql.json({ grantedPlan: "indie" })})`;
}
