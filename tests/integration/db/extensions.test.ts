import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { afterEach, beforeEach, expect, it } from "vitest";
import { InstallationError } from "#db/installation-error.ts";
import { migrate } from "#db/migrate.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { chosenMajor } from "../../helpers/postgres-release.ts";
import { SERVICE_ROLE, serviceUrlOf } from "../../helpers/service-role.ts";

const name = `extensions_${randomBytes(6).toString("hex")}`;

let server: TestDatabase;
let url: string;
let admin: postgres.Sql;
let sql: postgres.Sql;

beforeEach(async () => {
  server = await createTestDatabase();
  admin = postgres(server.url, { max: 1, onnotice: () => {} });
  await admin`CREATE DATABASE ${admin(name)}`;
  url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
  sql = postgres(url, { max: 1, onnotice: () => {} });
});
afterEach(async () => {
  await sql.end();
  await admin`DROP DATABASE ${admin(name)} WITH (FORCE)`;
  await admin.end();
  await server.drop();
});

const failureOf = (work: Promise<unknown>) => work.catch((error: unknown) => error as Error);
const tables = () => sql`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`;
const extensions = () => sql`SELECT extname FROM pg_extension WHERE extname <> 'plpgsql'`;

it("migrates where the extensions are in a schema outside the search_path, and searches use them", async () => {
  await sql`CREATE SCHEMA "Their Extensions"`;
  await sql`CREATE EXTENSION pg_trgm SCHEMA "Their Extensions"`;
  await sql`CREATE EXTENSION btree_gin SCHEMA "Their Extensions"`;
  await migrate(url);
  await migrate(url);
  await sql`SET enable_seqscan = off`;
  const plan = await sql`
    EXPLAIN SELECT schedule_id FROM schedule_requests
    WHERE uuid_send(account_id) = uuid_send(${crypto.randomUUID()}::uuid) AND target_url ILIKE '%hook%'`;
  expect(JSON.stringify(plan)).toContain("Bitmap Index Scan on schedule_requests_search");
});

it("creates the one that is missing beside the one that is in another schema", async () => {
  await sql`CREATE SCHEMA theirs`;
  await sql`CREATE EXTENSION pg_trgm SCHEMA theirs`;
  await migrate(url);
  expect(await extensions()).toHaveLength(2);
});

it("names an extension that the user may not create, before anything is written", async () => {
  await sql`CREATE EXTENSION btree_gin`;
  const failure = await failureOf(migrate(serviceUrlOf(url)));
  expect(failure).toBeInstanceOf(InstallationError);
  expect((failure as Error).message).toMatch(
    /needs the extension pg_trgm, which could not be created \(permission denied.*CREATE EXTENSION pg_trgm\./,
  );
  expect([...(await tables()), ...(await sql`SELECT FROM pg_namespace WHERE nspname = 'drizzle'`)]).toHaveLength(0);
});

it("names the schema of the extensions that the user may not use, before anything is written", async () => {
  await sql`CREATE SCHEMA theirs`;
  await sql`CREATE EXTENSION pg_trgm SCHEMA theirs`;
  await sql`CREATE EXTENSION btree_gin SCHEMA theirs`;
  await sql`GRANT CREATE ON DATABASE ${sql(name)} TO ${sql(SERVICE_ROLE)}`;
  const failure = await failureOf(migrate(serviceUrlOf(url)));
  expect(failure).toBeInstanceOf(InstallationError);
  expect((failure as Error).message).toContain("GRANT USAGE ON SCHEMA theirs");
  expect(await tables()).toHaveLength(0);
});

it.skipIf(chosenMajor < 18)(
  "names every extension that the server lacks, before anything is written (from 18 on, which has a setting to hide them)",
  async () => {
    await admin`ALTER DATABASE ${admin(name)} SET extension_control_path = '/nowhere'`;
    const failure = await failureOf(migrate(url));
    expect(failure).toBeInstanceOf(InstallationError);
    expect((failure as Error).message).toMatch(/^The database server lacks the extensions pg_trgm and btree_gin: /);
    expect(await tables()).toHaveLength(0);
  },
);
