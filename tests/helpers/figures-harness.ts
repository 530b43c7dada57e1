import { randomBytes } from "node:crypto";
import type { Browser, Page } from "@playwright/test";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { readConfig } from "#config.ts";
import type { Db } from "#db/orm.ts";
import { createSession } from "#db/queries/accounts/sessions.ts";
import { offsetBucket } from "#domain/punctuality.ts";
import { createTestAccount } from "./accounts.ts";
import { recordTestAttempt } from "./attempts.ts";
import { launchBrowser } from "./browser.ts";
import { createTestDatabase } from "./database.ts";
import { ENCRYPTION_KEYS } from "./encryption-keys.ts";
import { type Look, openPage } from "./page-checks.ts";
import { createTestSchedule } from "./schedules.ts";
import { startWebProcess } from "./web-process.ts";

export type FiguresHarness = Awaited<ReturnType<typeof startFiguresHarness>>;
export type SignedIn = { id: string; token: string };

/** The built web process on a database of its own, a real browser, and accounts with figures in every period. */
export async function startFiguresHarness() {
  const database = await createTestDatabase();
  const sql = postgres(database.url, { max: 4, onnotice: () => {} });
  // A client of its own: drizzle changes how the one that it is given reads instants.
  const ormSql = postgres(database.url, { max: 1, onnotice: () => {} });
  const db = drizzle(ormSql) as unknown as Db;
  const { keyRing, plans } = readConfig({ DATABASE_URL: database.url, ENCRYPTION_KEYS });
  const web = await startWebProcess({ DATABASE_URL: database.url, ENCRYPTION_KEYS });
  const browser: Browser = await launchBrowser();

  return {
    sql,
    web,
    browser,
    origin: web.origin,

    /** A new account, signed in. */
    async account(plan: "free" | "indie" = "indie"): Promise<SignedIn> {
      const { id } = await createTestAccount(sql, keyRing, { plan });
      const { token } = await createSession(db, { accountId: id, userAgent: null }, plans);
      return { id, token };
    },

    /** A key of an account, revoked since `revokedAt`. */
    async addKey({ id }: SignedIn, env: "live" | "test", revokedAt: Date | null = null): Promise<void> {
      await sql`
        INSERT INTO api_keys (id, account_id, env, name, hash, last4, revoked_at)
        VALUES (gen_random_uuid(), ${id}, ${env}, 'laptop', ${randomBytes(32)}, 'k2Lm', ${revokedAt})`;
    },

    /** A schedule of an account that is due in an hour: its UUID. */
    schedule({ id }: SignedIn): Promise<string> {
      return createTestSchedule(sql, keyRing, id, "https://example.com/", new Date(Date.now() + 3_600_000));
    },

    /** The first attempt at a schedule, which the target took. */
    attempt(scheduleId: string, attemptedAt: Date): Promise<void> {
      return recordTestAttempt(sql, scheduleId, { attemptedAt, offsetMs: 3, isPublic: false });
    },

    /** Gives an account schedules in every status, and counts of a month. */
    async fill({ id }: SignedIn): Promise<void> {
      await countHours(sql, id);
      const create = (path: string, fireAt: Date) =>
        createTestSchedule(sql, keyRing, id, `https://example.com${path}`, fireAt);
      const soon = (minutes: number) => new Date(Date.now() + minutes * 60_000);
      for (const [at, offsetMs] of [3, 0, 304, 1].entries()) {
        const attemptedAt = new Date(Date.now() - (at + 1) * 20_000);
        const answer = at === 2 ? { statusCode: 503 } : at === 3 ? { statusCode: 410, status: "dead" as const } : {};
        await recordTestAttempt(sql, await create(`/hooks/${at}`, soon(60)), {
          attemptedAt,
          offsetMs,
          isPublic: false,
          ...answer,
        });
      }
      for (const minutes of [3, 27, 59, 600]) await create(`/next/${minutes}`, soon(minutes));
    },

    /** Counts requests of the last day for the public figures: three of each four quarters of an hour. */
    async fillPublic(): Promise<void> {
      await sql`
        INSERT INTO shard_punctuality (shard, starts_at, bucket, n, on_time)
        SELECT 5, date_bin('15 minutes', now(), 'epoch') - q * interval '15 minutes', b.bucket, b.n,
          CASE WHEN b.bucket > 130 THEN 0 ELSE b.n END
        FROM generate_series(0, 95) q CROSS JOIN (
          VALUES (0, 31), (2, 40), (4, 25), (12, 9), (${offsetBucket(120)}::int, 1)) AS b (bucket, n)
        WHERE q % 4 <> 3
        UNION ALL SELECT 5, date_bin('15 minutes', now(), 'epoch') - interval '5 hours', ${offsetBucket(304)}::int, 9, 0`;
    },

    /** A dispatcher beats, or was last seen `agoMs` ago. */
    async beat(agoMs = 0): Promise<void> {
      await sql`DELETE FROM dispatchers`;
      await sql`
        INSERT INTO dispatchers (id, host, pid, version, beat_at)
        VALUES (gen_random_uuid(), 'test', 1, '0', now() - ${agoMs}::float8 * interval '1 ms')`;
    },

    /** A page of somebody's browser, with what it complained of. */
    async open(
      path: string,
      look: Look & { scripts?: boolean },
      who?: SignedIn,
    ): Promise<{ page: Page; complaints: string[]; status: number | undefined; close(): Promise<void> }> {
      const { page, complaints, close } = await openPage(browser, web.origin, look);
      if (who) await page.context().addCookies([{ name: "sw_session", value: who.token, url: web.origin }]);
      const answer = await page.goto(web.origin + path, { waitUntil: "networkidle" });
      return { page, complaints, status: answer?.status(), close };
    },

    async stop() {
      await browser.close();
      await web.stop();
      await Promise.all([sql.end(), ormSql.end()]);
      await database.drop();
    },
  };
}

// Every hour of 30 days but each seventh, with a late one now and then.
async function countHours(sql: postgres.Sql, accountId: string): Promise<void> {
  const counts = Array.from({ length: 30 * 24 }, (_, hour) => hour)
    .filter((hour) => hour % 7 !== 5)
    .flatMap((hour) => [
      ...[0, 1, 2, 3, 4, 5, 8, 13, 21, 40].map((ms, at) => ({ hour, ms, n: Math.ceil((40 + (hour % 11)) / (1 + at)) })),
      ...(hour % 9 === 4 ? [{ hour, ms: 304, n: 14 }] : []),
    ]);
  await sql`
    INSERT INTO account_counts (account_id, env, hour, kind, bucket, n, min_ms, max_ms)
    SELECT ${accountId}, 'live', date_trunc('hour', now(), 'UTC') - (c->>'hour')::int * interval '1 hour', 'offset',
      (c->>'bucket')::int, (c->>'n')::int, (c->>'ms')::int, (c->>'ms')::int
    FROM jsonb_array_elements(${sql.json(counts.map((count) => ({ ...count, bucket: offsetBucket(count.ms) })))}) c`;
  await sql`
    INSERT INTO account_counts (account_id, env, hour, kind, bucket, n)
    SELECT account_id, env, hour, 'outcome', k, CASE k WHEN 2 THEN sum(n) ELSE 1 END
    FROM account_counts, unnest(ARRAY[2, 5]) k WHERE account_id = ${accountId} GROUP BY 1, 2, 3, k`;
}
