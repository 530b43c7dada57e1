import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { lintMigrations } from "#tests/helpers/migration-lint/lint-migrations.ts";
import { findPreviousRelease } from "#tests/helpers/previous-release.ts";

const FIRST = {
  tag: "0000_first",
  text: `
    CREATE TABLE accounts (id uuid PRIMARY KEY, name text, plan text, CONSTRAINT named CHECK (name IS NOT NULL));
    CREATE TABLE schedules (id uuid PRIMARY KEY, account_id uuid, status text);
    CREATE TABLE shards (id smallint PRIMARY KEY, epoch bigint);
    CREATE TABLE attempts (at timestamptz, code int) PARTITION BY RANGE (at);
    CREATE INDEX attempts_code ON attempts (code);
    CREATE INDEX accounts_plan ON accounts (plan);
    CREATE INDEX schedules_old ON schedules (status);
    ALTER TABLE accounts ALTER COLUMN plan TYPE varchar;
    LOCK TABLE accounts;`,
};
const USED = ["accounts", "name", "plan", "create_schedule"];

/** Judges a migration, or several, after one that made the tables. */
const lint = (...texts: string[]) =>
  lintMigrations([FIRST, ...texts.map((text, at) => ({ tag: `000${at + 1}_next`, text }))], (name) =>
    USED.includes(name),
  );

describe("the lint of migrations refuses", () => {
  it.each([
    ["ALTER TABLE accounts ALTER COLUMN name TYPE varchar(9)", /rewrites accounts .* Add a column of the new type/],
    [
      "ALTER TABLE accounts ADD COLUMN a uuid DEFAULT gen_random_uuid()",
      /rewrites the table .* SET DEFAULT for new rows/,
    ],
    [
      "ALTER TABLE accounts ADD a timestamptz NOT NULL DEFAULT coalesce(clock_timestamp(), now())",
      /rewrites the table/,
    ],
    ["ALTER TABLE accounts ADD COLUMN a bigserial", /rewrites the table/],
    ["ALTER TABLE accounts ADD COLUMN a int GENERATED ALWAYS AS IDENTITY", /rewrites the table/],
    ["ALTER TABLE accounts ADD COLUMN a int GENERATED ALWAYS AS (1) STORED", /rewrites the table/],
    ["ALTER TABLE accounts ADD COLUMN a int NOT NULL", /have no a\. Give it a constant DEFAULT/],
    ["ALTER TABLE accounts ADD COLUMN a int CHECK (a > 0)", /without its constraint, then ADD CONSTRAINT … NOT VALID/],
    ["ALTER TABLE schedules ADD COLUMN a uuid REFERENCES accounts (id)", /without its constraint/],
    ["ALTER TABLE accounts ADD COLUMN a int UNIQUE", /CREATE UNIQUE INDEX CONCURRENTLY .* UNIQUE USING INDEX/],
    [
      "ALTER TABLE accounts ALTER COLUMN plan SET NOT NULL",
      /CHECK \(plan IS NOT NULL\) NOT VALID, .* in a third SET NOT NULL/,
    ],
    ["ALTER TABLE accounts ADD CONSTRAINT c CHECK (plan <> '')", /ADD CONSTRAINT c scans .* Write NOT VALID/],
    ["ALTER TABLE schedules ADD CONSTRAINT f FOREIGN KEY (account_id) REFERENCES accounts", /Write NOT VALID/],
    ["ALTER TABLE accounts ADD CONSTRAINT u UNIQUE (plan)", /UNIQUE USING INDEX/],
    ["ALTER TABLE accounts ADD PRIMARY KEY (plan)", /USING INDEX/],
    ["ALTER TABLE accounts ADD CONSTRAINT e EXCLUDE USING gist (plan WITH =)", /not known here/],
    [
      "ALTER TABLE accounts ADD CONSTRAINT c CHECK (plan <> '') NOT VALID, VALIDATE CONSTRAINT c",
      /scans while accounts is locked/,
    ],
    [
      "ALTER TABLE accounts ADD CONSTRAINT c CHECK (plan <> '') NOT VALID;\n--> statement-breakpoint\nALTER TABLE accounts VALIDATE CONSTRAINT c",
      /Put it into a later migration/,
    ],
    ["CREATE INDEX i ON accounts (plan)", /blocks each write to accounts .* CREATE INDEX CONCURRENTLY/],
    ["CREATE UNIQUE INDEX i ON ONLY attempts (code)", /blocks each write to attempts/],
    [
      "CREATE INDEX CONCURRENTLY i ON accounts (plan); CREATE INDEX CONCURRENTLY j ON accounts (plan)",
      /statement-breakpoint between/,
    ],
    [
      "CREATE INDEX CONCURRENTLY i ON accounts (plan);\n--> statement-breakpoint\nCREATE TABLE n (id int)",
      /a migration of their own/,
    ],
    ["CREATE INDEX CONCURRENTLY ON accounts (plan)", /name the index/],
    ["DROP INDEX accounts_plan", /Write DROP INDEX CONCURRENTLY/],
    ["DROP INDEX CONCURRENTLY attempts_code", /cannot drop attempts_code CONCURRENTLY/],
    ["DROP TABLE accounts", /The previous release uses the table accounts/],
    ["DROP TABLE schedules CASCADE", /CASCADE drops what this file does not name/],
    ["CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", /stands in db\/functions alone/],
    [
      "CREATE OR REPLACE FUNCTION create_schedule(uuid) RETURNS int LANGUAGE sql AS 'SELECT 1'",
      /stands in db\/functions/,
    ],
    ["ALTER FUNCTION create_schedule(uuid) STABLE", /stands in db\/functions alone/],
    ["DROP FUNCTION IF EXISTS create_schedule(uuid)", /uses the function create_schedule/],
    ["DROP FUNCTION former(uuid)", /write DROP FUNCTION IF EXISTS/],
    ["DROP VIEW v", /not known here/],
    ["ALTER TABLE accounts DROP COLUMN name", /uses the column name/],
    ["ALTER TABLE accounts ALTER COLUMN plan DROP DEFAULT", /uses the default of plan/],
    ["ALTER TABLE accounts RENAME COLUMN name TO full_name", /uses name.*beside the old one/],
    ["ALTER TABLE accounts RENAME TO customers", /uses accounts/],
    ["ALTER FUNCTION create_schedule(uuid) RENAME TO make", /uses create_schedule/],
    ["ALTER TABLE accounts SET TABLESPACE fast", /not known here/],
    ["ALTER TABLE attempts DETACH PARTITION a", /not known here/],
    ["CREATE TABLE a PARTITION OF attempts DEFAULT", /A partition of attempts is made by its functions/],
    [
      "ALTER TABLE accounts ADD a int; ALTER TABLE schedules ADD a int",
      /waits for schedules while it has accounts locked/,
    ],
    [
      "CREATE TABLE n (id uuid REFERENCES accounts); CREATE TRIGGER t AFTER INSERT ON schedules EXECUTE FUNCTION f()",
      /waits for schedules/,
    ],
    ["UPDATE accounts SET plan = 'free'", /Changing rows of accounts .* in batches/],
    ["UPDATE accounts SET plan = 'free' WHERE plan IS NULL", /Changing rows of accounts/],
    ["UPDATE shards SET epoch = 1", /Changing rows of shards/],
    ["DELETE FROM schedules WHERE status = 'dead'", /Changing rows of schedules/],
    ["INSERT INTO shards SELECT 1, count(*) FROM schedules", /Copying rows of schedules/],
    ["TRUNCATE schedules", /let retention delete/],
    ["LOCK TABLE accounts IN SHARE MODE", /leave it out/],
    ["VACUUM FULL accounts", /leave them out/],
    ["CLUSTER accounts USING accounts_plan", /rewrites the table/],
    ["REINDEX TABLE accounts", /CREATE INDEX CONCURRENTLY of another name/],
    ["REINDEX INDEX CONCURRENTLY accounts_plan", /CREATE INDEX CONCURRENTLY of another name/],
    ["DO $$ BEGIN UPDATE accounts SET plan = 'free'; END $$", /write its statements out/],
    ["SELECT make_attempt_partitions(now()::date, 100)", /runs nothing/],
    ["SET lock_timeout = '1h'", /leave it out/],
    ["COMMIT", /leave it out/],
    ["CREATE MATERIALIZED VIEW v AS SELECT count(*) FROM schedules", /not known here/],
  ])("%s", async (sql, sentence) => {
    const problems = await lint(sql);
    expect(problems.join("\n")).toMatch(sentence);
    expect(problems.every((problem) => problem.startsWith("0001_next: "))).toBe(true);
  });

  it("what is no SQL", async () => {
    await expect(lint("ALTER TABEL accounts")).rejects.toThrow("syntax error");
  });
});

describe("the lint of migrations allows", () => {
  it.each([
    [
      "a column without a default, or with one that the server evaluates once",
      "ALTER TABLE accounts ADD a text, ADD b timestamptz NOT NULL DEFAULT now(), ADD c int[] NOT NULL DEFAULT '{}'::int[], ADD d date DEFAULT CURRENT_DATE",
    ],
    [
      "a check that is validated later",
      "ALTER TABLE accounts DROP CONSTRAINT named, ADD CONSTRAINT c CHECK (plan <> '') NOT VALID",
    ],
    [
      "a foreign key that is validated later",
      "ALTER TABLE schedules ADD CONSTRAINT f FOREIGN KEY (account_id) REFERENCES accounts NOT VALID",
    ],
    ["NOT NULL where a check says so", "ALTER TABLE accounts ALTER COLUMN name SET NOT NULL"],
    [
      "indexes that are made and dropped concurrently",
      "-- why\nCREATE UNIQUE INDEX CONCURRENTLY i ON attempts (at);\n--> statement-breakpoint\nDROP INDEX CONCURRENTLY accounts_plan",
    ],
    ["a constraint of an index that is there", "ALTER TABLE accounts ADD CONSTRAINT u UNIQUE USING INDEX i"],
    [
      "a new table with all that belongs to it",
      "CREATE TABLE n (id serial PRIMARY KEY, account_id uuid REFERENCES accounts, x int); CREATE INDEX n_x ON n (x); ALTER TABLE n ALTER x SET NOT NULL; INSERT INTO n (x) SELECT generate_series(1, 9); UPDATE n SET x = 2; CREATE TRIGGER t AFTER INSERT ON n EXECUTE FUNCTION f(); ALTER TABLE accounts ADD a int",
    ],
    [
      "removing what the previous release does not name",
      "ALTER TABLE schedules DROP COLUMN status; DROP TABLE schedules; DROP FUNCTION IF EXISTS former(uuid)",
    ],
    ["a row of a small table", "UPDATE shards SET epoch = 0 WHERE id = 63; INSERT INTO shards VALUES (64, 0)"],
    [
      "settings of a table",
      "ALTER TABLE schedules SET (fillfactor = 90), ALTER status SET STATISTICS 1000, ALTER status SET STORAGE EXTERNAL",
    ],
    ["an index of a partitioned table to be dropped", "DROP INDEX attempts_code"],
  ])("%s", async (_title, sql) => expect(await lint(sql)).toEqual([]));

  it("NOT NULL in a third migration, after a check and its validation", async () => {
    const check = "ALTER TABLE accounts ADD CONSTRAINT planned CHECK (plan IS NOT NULL) NOT VALID";
    const validate = "ALTER TABLE accounts VALIDATE CONSTRAINT planned";
    const set = "ALTER TABLE accounts ALTER COLUMN plan SET NOT NULL";
    expect(await lint(check, validate, set)).toEqual([]);
    expect(await lint(check, set)).toEqual([expect.stringMatching(/^0002_next: SET NOT NULL scans accounts/)]);
    expect(await lint(check, validate, "ALTER TABLE accounts DROP CONSTRAINT planned", set)).toHaveLength(1);
  });
});

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const { commit, missing } = findPreviousRelease();
const JOURNAL: { entries: { tag: string; when: number }[] } = JSON.parse(
  readFileSync(`${ROOT}/db/migrations/meta/_journal.json`, "utf8"),
);

describe("the migrations of this project", () => {
  it("from the second one on hold up nobody", async () => {
    const migrations = JOURNAL.entries.map(({ tag }) => ({
      tag,
      text: readFileSync(`${ROOT}/db/migrations/${tag}.sql`, "utf8"),
    }));
    expect(await lintMigrations(migrations, isUsedByPreviousRelease)).toEqual([]);
  });

  it("are in the order in which they were written, since one older than the newest applied one is never applied", () => {
    const written = JOURNAL.entries.map(({ when }) => when);
    expect(written).toEqual([...new Set(written)].sort((a, b) => a - b));
  });
});

/** Whether the sources of the previous release name it, outside the migrations. What that release removed itself was judged then. */
function isUsedByPreviousRelease(name: string, tag: string): boolean {
  if (missing !== undefined || git("cat-file", "-e", `${commit}:db/migrations/${tag}.sql`)) return false;
  const sources = [
    "app",
    "components",
    "db",
    "dispatcher",
    "domain",
    "server",
    "mail",
    "pages",
    "scripts",
    ":!db/migrations",
    ":!db/schema.sql",
  ];
  return git("grep", "-qwF", "-e", name, commit, "--", ...sources);
}

function git(...args: string[]): boolean {
  try {
    execFileSync("git", args, { cwd: ROOT, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
