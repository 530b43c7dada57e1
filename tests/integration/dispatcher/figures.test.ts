import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readConfig } from "#config.ts";
import type { Db } from "#db/orm.ts";
import { readPublicCounts } from "#db/queries/attempts/public-punctuality.ts";
import { type AttemptRecord, recordAttempts } from "#db/queries/attempts/record.ts";
import { readSpanCounts } from "#db/queries/attempts/span-counts.ts";
import { overviewFigures, overviewSpan } from "#domain/overview.ts";
import { publicPunctuality } from "#domain/public-punctuality.ts";
import { ON_TIME_WITHIN_MS, offsetBucket } from "#domain/punctuality.ts";
import { createTestAccounts } from "../../helpers/accounts.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";

const ACCOUNTS = 12;
const SCHEDULES = 600;
const QUARTER_MS = 900_000;

let database: TestDatabase;
let sql: postgres.Sql;
let accounts: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.url, { max: 6, onnotice: () => {} });
  // Before its first connection the driver knows no type of array.
  await sql`SELECT 1`;
  const { keyRing } = readConfig({ DATABASE_URL: database.url, ENCRYPTION_KEYS });
  accounts = await createTestAccounts(sql, keyRing, ACCOUNTS);
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(() => sql`TRUNCATE schedules, attempts, account_counts, host_counts, counted_hosts, shard_punctuality`);

type Fired = {
  id: string;
  account: string;
  env: "live" | "test";
  offsetMs: number;
  firedAtMs: number;
  isPublic: boolean;
};

/** Schedules that are claimed for their first attempt, each to be sent so early or late, within the last 23 hours. */
async function claimed(): Promise<Fired[]> {
  const nowMs = Date.now();
  const all = Array.from({ length: SCHEDULES }, (_, n): Fired => {
    const offsetMs = n % 7 === 0 ? -(n % 90) : n % 11 === 0 ? 100 + n * n * 13 : n % 60;
    return {
      id: crypto.randomUUID(),
      account: accounts[n % ACCOUNTS] as string,
      env: n % 5 === 0 ? "test" : "live",
      offsetMs,
      firedAtMs: nowMs - Math.floor((n * 23 * 3_600_000) / SCHEDULES),
      isPublic: n % 13 !== 0,
    };
  });
  await sql`
    INSERT INTO schedules (id, account_id, env, shard, status, version, early_fire, attempts, fire_at, next_attempt_at, claim_deadline,
      payload_size_bytes, sealed_bytes, origin)
    SELECT id, account_id, env, get_byte(uuid_send(account_id), 15) & 63, 'firing', 2, true, 1, at, at, now(), 0, 0, ''
    FROM unnest(${sql.array(all.map(({ id }) => id))}::uuid[], ${sql.array(all.map(({ account }) => account))}::uuid[],
      ${sql.array(all.map(({ env }) => env))}::text[],
      ${sql.array(all.map(({ firedAtMs, offsetMs }) => new Date(firedAtMs - offsetMs).toISOString()))}::timestamptz[]) w(id, account_id, env, at)`;
  return all;
}

const outcome = ({ id, offsetMs, firedAtMs, isPublic }: Fired): AttemptRecord => ({
  scheduleId: id,
  version: 2,
  attempt: 1,
  outcome: "delivered",
  statusCode: 200,
  latencyMs: 5,
  errorText: "",
  attemptedAtMs: firedAtMs,
  timing: { lateMs: offsetMs, claimMs: 2, waitMs: 0, connectMs: null, firstByteMs: 4 },
  via: null,
  status: "succeeded",
  nextAttemptAtMs: null,
  failures: 0,
  endReason: null,
  interruptions: 0,
  offsetBucket: offsetBucket(offsetMs),
  onTime: offsetMs <= ON_TIME_WITHIN_MS,
  isPublic,
});

/** Latenesses, each as often as it is there, as the bucket that stands for it. */
const histogram = (offsets: readonly number[]) => {
  const counts = Map.groupBy(offsets.map(offsetBucket), (bucket) => bucket);
  return [...counts].map(([bucket, all]) => [bucket, all.length]).sort(([a = 0], [b = 0]) => a - b);
};
const counted = (entries: readonly { ms: number; count: number }[]) =>
  entries.map(({ ms, count }) => [offsetBucket(ms), count]);

async function publicFigures() {
  const { atMs, counts } = await readPublicCounts(sql);
  return publicPunctuality(counts, atMs);
}

describe("recording", () => {
  it("counts each first attempt once, even when two dispatchers record all of them at once in opposite orders", async () => {
    const fired = await claimed();
    const records = fired.map(outcome);
    const slices = (all: AttemptRecord[]) =>
      Array.from({ length: SCHEDULES / 50 }, (_, n) => all.slice(n * 50, n * 50 + 50));
    const recordInTurn = async (batches: AttemptRecord[][]) => {
      let written = 0;
      for (const batch of batches) written += (await recordAttempts(sql, batch)).length;
      return written;
    };
    const reversed = [...records].reverse();
    const written = await Promise.all([slices(records), slices(reversed)].map(recordInTurn));
    expect(written.reduce((all, n) => all + n, 0)).toBe(SCHEDULES);

    // The ledger: what the schedules and their attempts say.
    const ledger = await sql`
      SELECT s.account_id, s.env, s.offset_ms::int, a.attempted_at FROM schedules s JOIN attempts a ON a.schedule_id = s.id`;
    expect(ledger).toHaveLength(SCHEDULES);
    const span = overviewSpan("24h", 30, Date.now());
    const db = drizzle(sql) as unknown as Db;
    for (const account of accounts) {
      for (const env of ["live", "test"] as const) {
        const own = ledger.filter((row) => row.account_id === account && row.env === env);
        const figures = overviewFigures(await readSpanCounts(db, { accountId: account, env }, span), span.steps);
        expect(counted(figures.histogram)).toEqual(histogram(own.map((row) => row.offset_ms)));
        expect(figures.series.reduce((sum, { count }) => sum + count, 0)).toBe(own.length);
      }
    }

    const shown = fired.filter(({ env, isPublic }) => env === "live" && isPublic);
    const figures = await publicFigures();
    expect(figures.sent).toBe(shown.length);
    expect(counted(figures.histogram)).toEqual(histogram(shown.map(({ offsetMs }) => Math.max(0, offsetMs))));
    const late = shown.filter(({ offsetMs }) => offsetMs > ON_TIME_WITHIN_MS).length;
    expect(figures.onTimeRate).toBe((shown.length - late) / shown.length);
    const byQuarter = Map.groupBy(shown, ({ firedAtMs }) => Math.floor(firedAtMs / QUARTER_MS) * QUARTER_MS);
    expect(figures.series).toHaveLength(96);
    for (const { startsAtMs, count } of figures.series) {
      expect(count, new Date(startsAtMs).toISOString()).toBe(byQuarter.get(startsAtMs)?.length ?? 0);
    }
    expect(figures.series.reduce((sum, { count }) => sum + count, 0)).toBe(shown.length);
  });
});
