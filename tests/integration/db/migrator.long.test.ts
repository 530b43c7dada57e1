// Guards: db/migrate.ts, db/migrator/**
import { randomUUID } from "node:crypto";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as migrateWithDrizzle } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type MigrateOptions, migrate } from "#db/migrate.ts";
import { MigrationError } from "#db/migrator/migration-error.ts";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import { createMigrationsFolder, type MigrationsFolder } from "#tests/helpers/migrations-folder.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { runNode } from "#tests/integration/scripts/script-process.ts";

/** No reader and no writer beside a migration waits longer than this for a lock: `sql` fails otherwise. */
const HELD_UP_MAX_MS = 1_000;

let database: TestDatabase;
let sql: postgres.Sql;
let reader: postgres.Sql;
let folder: MigrationsFolder;
let lines: string[];

beforeEach(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), createMigrationsFolder()]);
  sql = postgres(database.url, { max: 4, onnotice: () => {}, connection: { lock_timeout: HELD_UP_MAX_MS } });
  reader = postgres(database.url, { max: 1, onnotice: () => {}, connection: { application_name: "a report" } });
  lines = [];
});
afterEach(async () => {
  await Promise.all([reader.end({ timeout: 1 }), sql.end({ timeout: 1 })]);
  await Promise.all([database.drop(), folder.remove()]);
});

const run = (options: MigrateOptions = {}) =>
  migrate(database.url, { folder: folder.path, onLog: (line) => lines.push(line), ...options });
const appliedCount = async () => (await sql`SELECT FROM drizzle.__drizzle_migrations`).length;
const columnExists = async (name: string) =>
  (await sql`SELECT FROM information_schema.columns WHERE column_name = ${name}`).length > 0;
const findIndex = async (name: string): Promise<{ valid: boolean } | undefined> =>
  (
    await sql<{ valid: boolean }[]>`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass(${name})`
  )[0];

/** Opens a transaction, with one snapshot as pg_dump's, that has read `table`. It ends when the returned function is called. */
async function startReading(table: string): Promise<() => Promise<void>> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let hasRead = false;
  const transaction = reader.begin("ISOLATION LEVEL REPEATABLE READ", async (tx) => {
    await tx`SET LOCAL idle_in_transaction_session_timeout = 0`;
    await tx.unsafe(`SELECT count(*) FROM ${table} WHERE 'ada@example.com' <> ''`);
    hasRead = true;
    await ended;
  });
  await waitFor("the reader has read", () => hasRead);
  return async () => {
    end();
    await transaction;
  };
}

describe("a migration", () => {
  it("is a transaction of its own: those before one that fails stay, and the next run continues with it", async () => {
    const before = await appliedCount();
    await folder.write("0901_good", "ALTER TABLE accounts ADD COLUMN good text");
    await folder.write("0902_bad", "ALTER TABLE accounts ADD COLUMN half text", "SELECT 1 / 0");
    await folder.write("0903_later", "ALTER TABLE accounts ADD COLUMN later text");
    const failure = await run().catch((error: unknown) => error as Error);
    expect(failure).toBeInstanceOf(MigrationError);
    expect((failure as Error).message).toMatch(
      /^The migration 0902_bad cannot be applied .* Those before it are applied\. \(division by zero\)$/,
    );
    expect([await columnExists("good"), await columnExists("half"), await columnExists("later")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await appliedCount()).toBe(before + 1);

    await folder.write("0902_bad", "ALTER TABLE accounts ADD COLUMN half text");
    await run();
    expect([await columnExists("half"), await columnExists("later")]).toEqual([true, true]);
    expect(await appliedCount()).toBe(before + 3);
  });

  it("lets readers pass while it waits for a lock, says for whom without their values, and continues", async () => {
    await folder.write("0901_column", "ALTER TABLE accounts ADD COLUMN added text");
    const stopReading = await startReading("accounts");
    const migrating = run();
    await waitFor("it has tried twice", async () => {
      await sql`SELECT FROM accounts`;
      return lines.length >= 2;
    });
    await stopReading();
    await migrating;
    expect(lines[0]).toMatch(
      /^migration 0901_column waits for pid \d+ \(a report, role \w+, in a transaction for \d+ s\): SELECT count\(\*\) FROM accounts WHERE \? <> \? \(next try in 0\.\d s\)$/,
    );
    expect(await columnExists("added")).toBe(true);
  });

  it("gives up when it waits for one lock after the other, and holds what it has meanwhile", async () => {
    const tables = ["sessions", "identities", "api_keys", "usage"];
    const alter = (table: string) => `ALTER TABLE ${table} ADD COLUMN added text`;
    await folder.write("0901_columns", alter("accounts"), ...tables.map(alter));
    const readers = tables.map(() => postgres(database.url, { max: 1, onnotice: () => {} }));
    await Promise.all(
      readers.map(async (one, at) => {
        await one.unsafe("BEGIN");
        await one.unsafe(`SELECT FROM ${tables[at]}`);
      }),
    );
    const migrating = run();
    for (const [at, one] of readers.entries()) {
      const [{ pid }] = (await one`SELECT pg_backend_pid() AS pid`) as [{ pid: number }];
      const isBlocking = async () =>
        (await sql`SELECT FROM pg_stat_activity WHERE ${pid} = ANY (pg_blocking_pids(pid))`).length > 0;
      await waitFor(`it waits for the reader of ${tables[at]}`, async () => lines.length > 0 || (await isBlocking()));
      await sql`SELECT pg_sleep(0.35)`;
      await one.end();
    }
    await migrating;
    expect(lines[0]).toMatch(/^migration 0901_columns waits for pid/);
  });

  it("fails after its deadline, names whom it waited for, and leaves no trace", async () => {
    const before = await appliedCount();
    await folder.write("0901_column", "CREATE TABLE fresh (id int)", "ALTER TABLE accounts ADD COLUMN added text");
    const stopReading = await startReading("accounts");
    await expect(run({ waitMs: 1_500 })).rejects.toThrow(
      /^migration 0901_column waited \d s for pid \d+ \(a report.*It changed nothing/,
    );
    await stopReading();
    expect([await appliedCount(), await columnExists("added")]).toEqual([before, false]);
    expect(await sql`SELECT to_regclass('fresh') AS found`).toEqual([{ found: null }]);
    await run();
    expect(await appliedCount()).toBe(before + 1);
  });

  it("is recorded as drizzle records it, and drizzle's own migrator finds nothing left to do", async () => {
    await folder.write("0901_column", "ALTER TABLE accounts ADD COLUMN added text");
    await folder.write("0902_index", "CREATE INDEX CONCURRENTLY accounts_added ON accounts (added)");
    await run();
    const journal = () => sql`SELECT hash, created_at FROM drizzle.__drizzle_migrations ORDER BY id`;
    const ours = await journal();
    await migrateWithDrizzle(drizzle(sql), { migrationsFolder: folder.path });
    expect(await journal()).toEqual(ours);

    await sql`DELETE FROM drizzle.__drizzle_migrations WHERE id > (SELECT max(id) - 2 FROM drizzle.__drizzle_migrations)`;
    await folder.write("0901_column", "ALTER TABLE accounts ADD COLUMN IF NOT EXISTS added text");
    await folder.write("0902_index", "CREATE INDEX IF NOT EXISTS accounts_added ON accounts (added)");
    await migrateWithDrizzle(drizzle(sql), { migrationsFolder: folder.path });
    const drizzles = await journal();
    await run();
    expect(await journal()).toEqual(drizzles);
    expect(drizzles.map((row) => row.created_at)).toEqual(ours.map((row) => row.created_at));
  });

  it("is not applied twice when its session loses the turn to another process", async () => {
    await folder.write("0901_column", "ALTER TABLE accounts ADD COLUMN added text");
    const before = await appliedCount();
    const stopReading = await startReading("accounts");
    const first = run().catch((error: unknown) => error);
    await waitFor("the first waits for the lock", () => lines.length > 0);
    const second = run();
    await waitFor("the second waits for its turn", () => lines.some((line) => line.startsWith("waiting for another")));
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'stopwatch migrate'
        AND pid = ANY (SELECT pid FROM pg_locks WHERE locktype = 'advisory')`;
    await stopReading();
    await Promise.all([first, second]);
    expect(await appliedCount()).toBe(before + 1);
  });
});

describe("an index that is made concurrently", () => {
  const INDEX = "CREATE INDEX CONCURRENTLY accounts_named ON accounts (name, id)";
  const addAccount = () =>
    sql`INSERT INTO accounts (id, email, plan) VALUES (${randomUUID()}, ${`${randomUUID()}@example.com`}, 'free')`;

  it("waits for an older transaction longer than for a lock, holds up no writer meanwhile, and says for whom", async () => {
    await folder.write("0901_index", INDEX);
    const stopReading = await startReading("shards");
    const migrating = run();
    await waitFor("it says for whom it waits", async () => {
      await addAccount();
      return lines.length > 0;
    });
    const writtenAt = performance.now();
    while (performance.now() - writtenAt < 1_200) await addAccount();
    expect(await findIndex("accounts_named")).toEqual({ valid: false });
    await stopReading();
    await migrating;
    expect(lines[0]).toMatch(/^index accounts_named waits for pid \d+ \(a report, .*FROM shards WHERE \? <> \?$/);
    expect(await findIndex("accounts_named")).toEqual({ valid: true });
  });

  it("fails after the deadline, and the next run drops what is left and makes it again", async () => {
    const before = await appliedCount();
    await folder.write("0901_index", INDEX);
    const stopReading = await startReading("shards");
    await expect(run({ waitMs: 700 })).rejects.toThrow(/^The index accounts_named waited 1 s for pid \d+/);
    expect([await findIndex("accounts_named"), await appliedCount()]).toEqual([{ valid: false }, before]);
    await stopReading();
    await run();
    expect([await findIndex("accounts_named"), await appliedCount()]).toEqual([{ valid: true }, before + 1]);
  });

  it("is taken for made when it exists and is valid", async () => {
    const before = await appliedCount();
    await folder.write("0901_index", INDEX, "CREATE INDEX CONCURRENTLY accounts_named_2 ON accounts (name)");
    await sql.unsafe(INDEX);
    const [made] = await sql`SELECT to_regclass('accounts_named')::oid AS oid`;
    await run();
    expect(await sql`SELECT to_regclass('accounts_named')::oid AS oid`).toEqual([made]);
    expect([await findIndex("accounts_named_2"), await appliedCount()]).toEqual([{ valid: true }, before + 1]);
  });

  it("is refused when another table has an index of its name", async () => {
    await folder.write("0901_index", INDEX);
    await sql`CREATE INDEX accounts_named ON shards (owner)`;
    await expect(run()).rejects.toThrow("The index public.accounts_named belongs to another table than accounts");
  });

  it("that is unique leaves nothing behind when rows are equal", async () => {
    await folder.write("0901_index", "CREATE UNIQUE INDEX CONCURRENTLY accounts_plan_key ON accounts (plan)");
    await addAccount();
    await addAccount();
    await expect(run()).rejects.toThrow(/The migration 0901_index cannot be applied.*could not create unique index/);
    expect(await findIndex("accounts_plan_key")).toBeUndefined();
  });

  it("is made on each partition of attempts, also after an interruption, and on those that come later", async () => {
    await folder.write(
      "0901_index",
      "CREATE INDEX CONCURRENTLY attempts_answers ON attempts (status_code) WHERE status_code > 399",
    );
    const days = await sql<{ name: string }[]>`
      SELECT relname AS name FROM pg_class WHERE relname ~ '^attempts_[0-9]{8}$' AND relkind = 'r' ORDER BY 1`;
    const [first, last] = [days[0], days.at(-1)];
    await sql.unsafe("CREATE INDEX attempts_answers ON ONLY attempts (status_code) WHERE status_code > 399");
    await sql.unsafe(
      `CREATE INDEX attempts_answers_${first?.name} ON ${first?.name} (status_code) WHERE status_code > 399`,
    );
    await sql.unsafe(`ALTER INDEX attempts_answers ATTACH PARTITION attempts_answers_${first?.name}`);
    const stopReading = await startReading("shards");
    await expect(run({ waitMs: 600 })).rejects.toThrow("waited 1 s for pid");
    expect(await findIndex("attempts_answers")).toEqual({ valid: false });
    await stopReading();
    await sql.unsafe(`DROP TABLE ${last?.name}`);
    await run();
    expect(await findIndex("attempts_answers")).toEqual({ valid: true });
    const missing = await sql`SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'attempts'::regclass
      AND NOT EXISTS (SELECT FROM pg_indexes WHERE tablename = inhrelid::regclass::text AND indexdef LIKE '%(status_code) WHERE%')`;
    expect([...missing]).toEqual([]);
  });

  it("is dropped concurrently by a step, also when it does not exist any more", async () => {
    const before = await appliedCount();
    await folder.write("0901_drop", "DROP INDEX CONCURRENTLY sessions_expired", "DROP INDEX CONCURRENTLY nowhere");
    await run();
    expect([await findIndex("sessions_expired"), await appliedCount()]).toEqual([undefined, before + 1]);
  });

  it("stands in a migration without other statements", async () => {
    await folder.write("0901_mixed", INDEX, "ALTER TABLE accounts ADD COLUMN added text");
    await expect(run()).rejects.toThrow(
      "The migration 0901_mixed creates or drops an index CONCURRENTLY beside other statements",
    );
    expect(await findIndex("accounts_named")).toBeUndefined();
  });

  it("is stopped by a signal at once, and the next run makes it", async () => {
    await folder.write("0901_index", INDEX);
    const stopReading = await startReading("shards");
    const controller = new AbortController();
    const migrating = run({ signal: controller.signal });
    await waitFor("it waits", () => lines.length > 0);
    const reason = new Error("stopped");
    controller.abort(reason);
    await expect(migrating).rejects.toBe(reason);
    const busy =
      await sql`SELECT FROM pg_stat_activity WHERE application_name = 'stopwatch migrate' AND state = 'active'
      AND datname = current_database()`;
    expect([...busy]).toEqual([]);
    await stopReading();
    await run();
    expect(await findIndex("accounts_named")).toEqual({ valid: true });
  });

  it("whose process was killed is made by the server to its end, which the next run awaits and recognises", async () => {
    const before = await appliedCount();
    await folder.write("0901_index", INDEX);
    const stopReading = await startReading("shards");
    const program = `import { migrate } from "#db/migrate.ts"; await migrate(process.argv[1], { folder: process.argv[2], onLog: console.log });`;
    const killed = runNode(["--input-type=module", "-e", program, database.url, folder.path]);
    await waitFor(`it waits: ${killed.stderr}`, () => killed.stdout.length > 0);
    const [made] = await sql`SELECT to_regclass('accounts_named')::oid AS oid`;
    killed.child.kill("SIGKILL");
    await killed.exited;
    const next = run();
    await waitFor("the next one waits for it", () => lines.length > 0);
    expect(lines[0]).toMatch(
      /process that migrates this database: pid \d+ \(stopwatch migrate.*CREATE INDEX CONCURRENTLY/,
    );
    await stopReading();
    await next;
    expect(await sql`SELECT to_regclass('accounts_named')::oid AS oid`).toEqual([made]);
    expect([await findIndex("accounts_named"), await appliedCount()]).toEqual([{ valid: true }, before + 1]);
  });
});
