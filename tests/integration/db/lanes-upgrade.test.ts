import { randomBytes } from "node:crypto";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as applyMigrations } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrate } from "#db/migrate.ts";
import { auditLanes } from "#db/queries/schedules/due-lanes.ts";
import { parseKeyRing } from "#domain/cipher.ts";
import { createTestAccount } from "../../helpers/accounts.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { lanesTooLate } from "../../helpers/lanes.ts";
import { createTestSchedule } from "../../helpers/schedules.ts";

const KEY_RING = parseKeyRing(ENCRYPTION_KEYS);
const MIGRATIONS = fileURLToPath(new URL("../../../db/migrations", import.meta.url));
const LAST_BEFORE = "0006_retention";

let server: TestDatabase;
let name: string;
let url: string;
let sql: postgres.Sql;

/** A database as the release before the calendar left it. */
beforeAll(async () => {
  server = await createTestDatabase();
  name = `former_${randomBytes(6).toString("hex")}`;
  url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
  const owner = postgres(server.url, { max: 1 });
  await owner`CREATE DATABASE ${owner(name)}`;
  await owner.end();
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-migrations-"));
  try {
    await cp(MIGRATIONS, folder, { recursive: true });
    const path = join(folder, "meta", "_journal.json");
    const journal = JSON.parse(await readFile(path, "utf8"));
    journal.entries.length = journal.entries.findIndex(({ tag }: { tag: string }) => tag === LAST_BEFORE) + 1;
    await writeFile(path, JSON.stringify(journal));
    const former = postgres(url, { max: 1, onnotice: () => {} });
    await applyMigrations(drizzle(former), { migrationsFolder: folder });
    await former.end();
    sql = postgres(url, { max: 3, onnotice: () => {} });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
afterAll(async () => {
  await sql.end();
  const owner = postgres(server.url, { max: 1 });
  await owner`DROP DATABASE ${owner(name)} WITH (FORCE)`;
  await owner.end();
  await server.drop();
});

it("a migration enters every waiting lane in the calendar, also for schedules that are firing or not yet committed", async () => {
  const [waiting, firing, inactive, running] = await Promise.all(
    Array.from({ length: 4 }, async () => (await createTestAccount(sql, KEY_RING)).id),
  );
  const hour = new Date(Date.now() + 3_600_000);
  const create = (on: postgres.Sql, accountId: string | undefined, at: Date, env: "live" | "test" = "live") =>
    createTestSchedule(on, KEY_RING, accountId as string, "https://example.com/", at, { env });
  await create(sql, waiting, new Date(hour.getTime() + 5));
  await create(sql, waiting, hour);
  await create(sql, waiting, hour, "test");
  await create(sql, inactive, hour);
  const claimed = await create(sql, firing, hour);
  await sql`UPDATE schedules SET status = 'firing', attempts = 1, claim_deadline = now() WHERE id = ${claimed}`;
  await sql`UPDATE accounts SET status = 'deactivated' WHERE id = ${inactive as string}`;

  const migrating = await sql.begin(async (tx) => {
    await create(tx as never, running, hour);
    const migrating = migrate(url);
    await expect
      .poll(async () => {
        const [row] = await sql`SELECT count(*)::int AS n FROM pg_stat_activity
          WHERE datname = ${name} AND application_name = 'stopwatch migrate' AND wait_event_type = 'Lock'`;
        return row?.n;
      })
      .toBe(1);
    return { migrating };
  });
  await migrating.migrating;

  const lanes = await sql`SELECT account_id, env, due_at FROM lanes ORDER BY account_id, env`;
  const expected = [
    { account_id: waiting, env: "live", due_at: hour },
    { account_id: waiting, env: "test", due_at: hour },
    { account_id: firing, env: "live", due_at: hour },
    { account_id: running, env: "live", due_at: hour },
  ];
  const key = (lane: { account_id?: string; env?: string }) => `${lane.account_id}${lane.env}`;
  expect([...lanes]).toEqual(expected.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)));
  expect(await lanesTooLate(sql)).toEqual([]);
  expect(await auditLanes(sql, null, 100)).toEqual({ missing: 0, late: 0, next: null });
});
