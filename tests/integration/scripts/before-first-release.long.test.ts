// Guards: db/migrator/**, scripts/on-database.ts
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { startEmbeddedPostgres } from "#scripts/postgres/embedded.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { runNode, runScript } from "./script-process.ts";

// The data folder of npm start. PostgreSQL may run as another user, which has to reach it.
let parent: string;
let dataDir: string;
let url: string;
let server: postgres.Sql;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "stopwatch-before-"));
  await chmod(parent, 0o711);
  dataDir = join(parent, "data");
  server = postgres(inject("templateUrl"), { database: "postgres", max: 1, onnotice: () => {} });
  const name = `before_${randomBytes(6).toString("hex")}`;
  await server`CREATE DATABASE ${server(name)}`;
  url = Object.assign(new URL(inject("templateUrl")), { pathname: `/${name}` }).href;
});
afterAll(async () => {
  await server`DROP DATABASE ${server(new URL(url).pathname.slice(1))} WITH (FORCE)`;
  await server.end();
  await rm(parent, { recursive: true, force: true });
});
beforeEach(() => onDatabase(url, makeOld));

async function onDatabase<T>(at: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(at, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** Leaves in a database what the migrator recorded before version 0.1.0, and a table that those migrations made. */
async function makeOld(sql: postgres.Sql): Promise<void> {
  await sql`DROP SCHEMA IF EXISTS public, drizzle CASCADE`;
  await sql`CREATE SCHEMA public`;
  await sql`CREATE SCHEMA drizzle`;
  await sql`CREATE TABLE drizzle.__drizzle_migrations (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`;
  await sql`
    INSERT INTO drizzle.__drizzle_migrations (hash, created_at)
    VALUES ('of 0000_core', 1795259202232), ('of 0022_fire_in', 1795640256299)`;
  await sql`CREATE TABLE accounts (id uuid PRIMARY KEY, email text NOT NULL)`;
  await sql`INSERT INTO accounts VALUES ('00000000-0000-4000-8000-000000000000', 'ada@example.com')`;
}

const contents = (sql: postgres.Sql) => sql`
  SELECT (SELECT json_agg(relname ORDER BY relname) FROM pg_class WHERE relnamespace IN
      (SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'drizzle'))) AS relations,
    (SELECT json_agg(m ORDER BY id) FROM drizzle.__drizzle_migrations m) AS migrations,
    (SELECT json_agg(a) FROM accounts a) AS accounts`;

const REFUSAL =
  "This database was made by a version of Stopwatch from before 0.1.0, which this version cannot upgrade: remove the data folder (.data/, or DATA_DIR) if npm start keeps it there, otherwise set DATABASE_URL to a new, empty database. Nothing was changed.";

const settings = () => ({ DATABASE_URL: url, ENCRYPTION_KEYS, PORT: "0", DISPATCHER_PORT: "0" });

test.each(["start", "dev", "migrate", "account", "keys-rotate"])(
  "a database of a version from before 0.1.0 is refused by the command %s in one sentence, and left as it is",
  async (name) => {
    const before = await onDatabase(url, contents);
    const args = name === "account" ? ["create", "--email", "ada@example.com"] : [];
    const run = runScript(name, args, { ...settings(), DATA_DIR: dataDir });
    expect(await run.exited).toBe(1);
    expect(run.stderr).toEqual([REFUSAL]);
    expect(await onDatabase(url, contents)).toEqual(before);
  },
);

test.each([
  ["web process", ["--input-type=module", "-e", 'import { start } from "#server/start.ts"; await start();']],
  ["dispatcher", ["dispatcher/main.ts"]],
])(
  "a database of a version from before 0.1.0 is refused by the %s in one sentence, and left as it is",
  async (_, args) => {
    const before = await onDatabase(url, contents);
    const run = runNode(args, { ...settings(), LOG_LEVEL: "silent" });
    expect(await run.exited).toBe(1);
    expect(run.stderr).toEqual(["Stopwatch cannot start:", REFUSAL]);
    expect(await onDatabase(url, contents)).toEqual(before);
  },
);

test("npm start refuses a data folder of a version from before 0.1.0 in one sentence, and leaves its database as it is", async () => {
  const withServer = async <T>(work: (sql: postgres.Sql) => Promise<T>) => {
    const own = await startEmbeddedPostgres(dataDir);
    try {
      return await onDatabase(own.url, work);
    } finally {
      await own.stop();
    }
  };
  const before = await withServer(async (sql) => {
    await makeOld(sql);
    return contents(sql);
  });
  const run = runScript("start", [], { DATA_DIR: dataDir, ENCRYPTION_KEYS, PORT: "0", DISPATCHER_PORT: "0" });
  expect(await run.exited).toBe(1);
  expect(run.stderr).toEqual([REFUSAL]);
  expect(await withServer(contents)).toEqual(before);
});
