import postgres from "postgres";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type MigrateOptions, migrate } from "#db/migrate.ts";
import { hashOf, readFunctions, type SqlFunctions } from "#db/migrator/apply-functions.ts";
import { assertSchemaFits } from "#db/queries/fleet/schema-version.ts";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import { createMigrationsFolder, type MigrationsFolder } from "#tests/helpers/migrations-folder.ts";
import { SERVICE_ROLE } from "#tests/helpers/service-role.ts";

let database: TestDatabase;
let sql: postgres.Sql;
let folder: MigrationsFolder;

beforeEach(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), createMigrationsFolder()]);
  sql = postgres(database.url, { max: 4, onnotice: () => {} });
});
afterEach(async () => {
  await sql.end({ timeout: 1 });
  await Promise.all([database.drop(), folder.remove()]);
});

const OWN = readFunctions();

/** The functions of a version that is `later` ms newer than this one, with other texts of the given ones. */
function version(later: number, texts: Record<string, string>): SqlFunctions {
  const others = OWN.all.filter(({ name }) => !(name in texts));
  const own = Object.entries(texts).map(([name, text]) => ({ name, text, hash: hashOf(text) }));
  return { writtenAt: OWN.writtenAt + later, all: [...others, ...own] };
}

const answering = (channel: string) =>
  `CREATE OR REPLACE FUNCTION due_channel() RETURNS text LANGUAGE sql STABLE AS $$ SELECT '${channel}' $$;`;
const run = (options: MigrateOptions = {}) => migrate(database.url, { folder: folder.path, ...options });
const dueChannel = async () => (await sql`SELECT due_channel() AS channel`)[0]?.channel;
const fits = () =>
  assertSchemaFits(sql).then(
    () => "it fits",
    (error: Error) => error.message,
  );

test("a function whose text has changed is replaced without a migration, by one of several processes that migrate at once", async () => {
  const functions = version(1, { due_channel: answering("changed") });
  await Promise.all(Array.from({ length: 4 }, () => run({ functions })));
  expect(await dueChannel()).toBe("changed");
  expect(await fits()).toBe("it fits");
});

test("a function that is replaced keeps its triggers, and who may call it", async () => {
  const grants = () => sql`
    SELECT proname, oid, proacl::text AS acl FROM pg_proc WHERE proname IN ('make_attempt_partitions', 'wake_lanes') ORDER BY 1`;
  await migrate(database.url, { serviceRoles: [SERVICE_ROLE] });
  const before = await grants();
  const changed = OWN.all.map((one) => [one.name, `-- Another text.\n${one.text}`] as const);
  await run({ functions: version(1, Object.fromEntries(changed)) });
  expect(await grants()).toEqual(before);
  expect(before[0]?.acl).not.toMatch(/[{,]=/);
});

test.each([
  ["another parameter", "due_channel(p_of text DEFAULT 'all') RETURNS text LANGUAGE sql AS $$ SELECT p_of $$"],
  ["another result", "due_channel(OUT channel text, OUT n integer) LANGUAGE sql AS $$ SELECT 'all', 1 $$"],
])("a function with %s takes the place of the former one", async (_what, signature) => {
  await sql`CREATE FUNCTION due_channel(integer) RETURNS text LANGUAGE sql AS $$ SELECT 'left over' $$`;
  await run({ functions: version(1, { due_channel: `CREATE OR REPLACE FUNCTION ${signature};` }) });
  expect(await sql`SELECT FROM pg_proc WHERE proname = 'due_channel'`).toHaveLength(1);
  expect(Object.values((await sql`SELECT * FROM due_channel()`)[0] ?? {})[0]).toBe("all");
  await run({ functions: version(2, { due_channel: answering("as before") }) });
  expect(await dueChannel()).toBe("as before");
});

test("a new function is there before the migrations, whose triggers may name it, and may itself name what they make", async () => {
  await folder.write("0901_table", "CREATE TABLE things (n integer)");
  await folder.write(
    "0902_trigger",
    "CREATE TRIGGER things_counted BEFORE INSERT ON things FOR EACH ROW EXECUTE FUNCTION count_thing()",
    "INSERT INTO things VALUES (1), (1)",
  );
  const text = `CREATE OR REPLACE FUNCTION count_thing() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.n := number_of_things(); RETURN NEW; END $$;`;
  const number =
    "CREATE OR REPLACE FUNCTION number_of_things() RETURNS int LANGUAGE sql AS 'SELECT count(*)::int FROM things';";
  await run({ functions: version(1, { count_thing: text, number_of_things: number }) });
  expect(await sql`SELECT n FROM things ORDER BY n`).toEqual([{ n: 0 }, { n: 1 }]);
});

test("changed functions and the last pending migration are applied at once, or neither", async () => {
  await folder.write("0901_first", "ALTER TABLE accounts ADD COLUMN first text");
  await folder.write("0902_second", "ALTER TABLE accounts ADD COLUMN second text");
  const columns = async () =>
    (
      await sql`SELECT column_name AS name FROM information_schema.columns WHERE column_name IN ('first', 'second')`
    ).map(({ name }) => name);
  const former = await dueChannel();
  await expect(run({ functions: version(1, { due_channel: "CREATE OR REPLACE FUNKTION" }) })).rejects.toThrow(
    /The migration 0902_second cannot be applied/,
  );
  expect([await columns(), await dueChannel()]).toEqual([["first"], former]);
  await run({ functions: version(1, { due_channel: answering("changed") }) });
  expect([await columns(), await dueChannel()]).toEqual([["first", "second"], "changed"]);
});

test("the functions of a newer version stay, whether it brought a migration or not, when an older one migrates", async () => {
  await run({ functions: version(1, { due_channel: answering("newer") }) });
  await migrate(database.url);
  expect([await dueChannel(), await fits()]).toEqual(["newer", "it fits"]);

  // The older version was patched since: it has the migrations of before, and functions that were written later.
  await folder.write("0901_column", "ALTER TABLE accounts ADD COLUMN added text");
  await run({ functions: version(2, { due_channel: answering("newest") }) });
  await migrate(database.url, { functions: version(3, { due_channel: answering("patched") }) });
  expect([await dueChannel(), await fits()]).toEqual(["newest", "it fits"]);
});

test("a database that does not say which functions it has, as one of before, is refused until it was migrated", async () => {
  await sql.unsafe(answering("of before"));
  await sql`COMMENT ON FUNCTION due_channel IS NULL`;
  await sql`COMMENT ON TABLE drizzle.__drizzle_migrations IS NULL`;
  expect(await fits()).toBe(
    'The database has the SQL functions of an older version: run "npm run migrate" with this version first.',
  );
  await migrate(database.url);
  expect([await dueChannel(), await fits()]).toEqual(["stopwatch_due", "it fits"]);
});
