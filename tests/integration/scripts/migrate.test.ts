import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { afterEach, beforeEach, expect, test } from "vitest";
import { migrate } from "#db/migrate.ts";
import { MigrationError } from "#db/migrator/migration-error.ts";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { runScript } from "./script-process.ts";

let database: TestDatabase;
let sql: postgres.Sql;

beforeEach(async () => {
  database = await createTestDatabase();
  sql = postgres(database.url, { onnotice: () => {} });
});
afterEach(async () => {
  await sql.end();
  await database.drop();
});

const applied = (at: postgres.Sql) => at`SELECT hash, created_at FROM drizzle.__drizzle_migrations ORDER BY id`;

test("migrating a second time changes nothing", async () => {
  const before = await applied(sql);
  await migrate(database.url);
  expect(before.length).toBeGreaterThan(0);
  expect(await applied(sql)).toEqual(before);
});

test("several processes that migrate an empty database at once apply each migration once", async () => {
  const name = `empty_${randomBytes(6).toString("hex")}`;
  await sql`CREATE DATABASE ${sql(name)}`;
  const url = Object.assign(new URL(database.url), { pathname: `/${name}` }).href;
  const empty = postgres(url, { onnotice: () => {} });
  try {
    await Promise.all(Array.from({ length: 4 }, () => migrate(url)));
    expect(await applied(empty)).toEqual(await applied(sql));
  } finally {
    await empty.end();
    await sql`DROP DATABASE ${sql(name)} WITH (FORCE)`;
  }
});

test("a process that waits for another's migration logs that, and continues once it has ended", async () => {
  const other = postgres(database.url, { max: 1 });
  await other`SELECT pg_advisory_lock(7867001)`;
  const lines: string[] = [];
  const waiting = migrate(database.url, { onLog: (line) => lines.push(line) });
  await waitFor("it logs", () => lines.length > 0);
  expect(lines).toEqual([
    expect.stringMatching(
      /^waiting for another process that migrates this database: pid \d+ \(postgres.js, role \w+\): SELECT pg_advisory_lock\(\?\)$/,
    ),
  ]);
  await other.end();
  await waiting;
});

test("npm run migrate ends at once on Ctrl-C, and says that it may be run again", async () => {
  const other = postgres(database.url, { max: 1 });
  await other`SELECT pg_advisory_lock(7867001)`;
  const run = runScript("migrate", [], { DATABASE_URL: database.url });
  await waitFor("it logs", () => run.stdout.length > 0);
  expect(run.stdout).toHaveLength(1);
  run.child.kill("SIGINT");
  expect([await run.exited, run.stdout.at(-1), run.stderr]).toEqual([
    130,
    "Stopped. What is applied stays: run it again to continue.",
    [],
  ]);
  await other.end();
});

test("each migration run creates the attempt partitions of the days ahead", async () => {
  const [day] = await sql<[{ name: string }]>`
    SELECT 'attempts_' || to_char((now() AT TIME ZONE 'utc')::date + 7, 'YYYYMMDD') AS name`;
  // The template of this database may be of the day before, which has no partition for this day.
  await sql`DROP TABLE IF EXISTS ${sql(day.name)}`;
  await migrate(database.url);
  expect((await sql`SELECT to_regclass(${day.name}) AS found`)[0]?.found).toBe(day.name);
});

test("a database that is newer than the code is left unchanged", async () => {
  await sql`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('of a later version', 99999999999999)`;
  const before = await applied(sql);
  await migrate(database.url);
  expect(await applied(sql)).toEqual(before);
});

test("the error about a database that is away, missing or refuses the password names it without the password", async () => {
  const changed = (change: Partial<URL>) => Object.assign(new URL(database.url), change).href;
  for (const [url, message] of [
    [changed({ port: "1" }), /cannot be reached/],
    [changed({ pathname: "/nowhere" }), /no database nowhere/],
    [changed({ password: "wrong-secret" }), /refuses the user/],
  ] as const) {
    const failure = await migrate(url).catch((error: unknown) => error as Error);
    expect(failure).toBeInstanceOf(MigrationError);
    expect((failure as Error).message).toMatch(message);
    expect((failure as Error).message).not.toContain(new URL(url).password);
  }
});
