import { eq } from "drizzle-orm";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type DatabaseUnavailable } from "#db/client.ts";
import { connectOrm } from "#db/orm.ts";
import { probeWrite } from "#db/queries/fleet/probe-write.ts";
import { accounts } from "#db/schema/index.ts";
import { describeFault } from "#domain/database-fault.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";

let database: TestDatabase;
let owner: postgres.Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = postgres(database.url, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

/** The error of `statement`, run by a pool of its own with the rights of the service. */
async function errorOf(statement: string, session: Record<string, string | number> = {}) {
  const failed: string[] = [];
  const pool = connect({
    url: database.serviceUrl,
    name: "test",
    connectionsMax: 1,
    session,
    onFailed: ({ fault }) => failed.push(fault),
  });
  const error = await pool.run(4_000, ({ sql }) => sql.unsafe(statement)).catch((thrown) => thrown);
  await pool.close();
  return { error: error as DatabaseUnavailable, failed };
}

describe("what the server cannot do is named by the kind of fault, to caller and counter:", () => {
  const raised = (code: string, message = "x") =>
    `DO $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '${code}'; END $$`;
  it.each<[string, string, string, Record<string, string | number>?]>([
    ["a statement that is too slow", "timeout", "SELECT pg_sleep(5)", { statement_timeout: 50 }],
    ["a read-only session", "read_only", "DELETE FROM holds", { default_transaction_read_only: "on" }],
    ["a table of another owner", "privilege", "ALTER TABLE schedules ADD COLUMN x int"],
    ["a right that is missing", "privilege", "DELETE FROM audit_log"],
    ["a table that is not there", "schema", "SELECT FROM nowhere"],
    ["a full disk", "disk_full", raised("53100")],
    ["a quota of the disk", "disk_full", raised("XX000", 'could not extend file "base/1": Disk quota exceeded')],
    ["no memory", "out_of_memory", raised("53200")],
    ["no connection", "too_many_connections", raised("53300")],
    ["a limit", "resources", raised("53400")],
    ["a broken disk", "files", raised("58030")],
    ["a missing file", "files", raised("58P01")],
    ["a lock that another holds", "conflict", raised("55P03")],
    ["a deadlock", "conflict", raised("40P01")],
    ["a server that stops", "unreachable", raised("57P01")],
  ])("%s is %s", async (_, fault, statement, session) => {
    const { error, failed } = await errorOf(statement, session);
    expect(error).toMatchObject({ code: "UNAVAILABLE", status: 503, fault, publicMessage: describeFault(error.fault) });
    expect(failed).toEqual([fault]);
    if (fault !== "unreachable") expect(error.publicMessage).not.toContain("reached right now");
  });

  it.each([
    ["a violated constraint", "23505"],
    ["a syntax error", "42601"],
    ["a division by zero", "22012"],
    ["a bug of the server", "XX000"],
    ["a code that no list has", "ZZ999"],
  ])("%s is an error as it is", async (_, code) => {
    const { error, failed } = await errorOf(raised(code));
    expect(error).toMatchObject({ name: "PostgresError", code });
    expect(failed).toEqual([]);
  });

  it.each([
    ["a column", "42703", "SELECT nowhere FROM schedules"],
    ["a function", "42883", "SELECT nowhere()"],
  ])(
    "%s that is not there is a mistake of ours, unless the database has other migrations than this version knows",
    async (_, code, statement) => {
      const isMistake = { error: { name: "PostgresError", code }, failed: [] };
      const isOfSchema = { error: { status: 503, fault: "schema", cause: { code } }, failed: ["schema"] };
      expect(await errorOf(statement)).toMatchObject(isMistake);
      expect(await errorOf(`DO $$ BEGIN EXECUTE '${statement}'; END $$`)).toMatchObject(isMistake);

      await owner`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('of a later version', 99999999999999)`;
      expect(await errorOf(statement)).toMatchObject(isOfSchema);
      await owner`DELETE FROM drizzle.__drizzle_migrations WHERE hash = 'of a later version'`;
      expect(await errorOf(statement)).toMatchObject(isMistake);

      await owner`ALTER TABLE drizzle.__drizzle_migrations RENAME TO away`;
      expect(await errorOf(statement)).toMatchObject(isOfSchema);
      await owner`ALTER TABLE drizzle.away RENAME TO __drizzle_migrations`;
    },
  );

  it("a function that search_path does not lead to any more is not where the role looks for it", async () => {
    expect(
      (await errorOf("SELECT make_attempt_partitions(now()::date, 1)", { search_path: "drizzle" })).error,
    ).toMatchObject({ fault: "schema" });
  });

  it("a database that its role may not connect to any more is a missing right, and works again when it may", async () => {
    const pool = connect({ url: database.serviceUrl, name: "test", connectionsMax: 1 });
    const [{ name } = { name: "" }] = await owner<[{ name: string }]>`SELECT current_database() AS name`;
    await owner`REVOKE CONNECT ON DATABASE ${owner(name)} FROM PUBLIC`;
    await expect(pool.run(4_000, ({ sql }) => sql`SELECT 1`)).rejects.toMatchObject({ fault: "privilege" });
    await owner`GRANT CONNECT ON DATABASE ${owner(name)} TO PUBLIC`;
    expect(await pool.run(4_000, ({ sql }) => sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
    await pool.close();
  });
});

it("a row that was changed, but whose instants come in another style, is no refusal: what became of it is unknown", async () => {
  const session = { DateStyle: "SQL, DMY" };
  const pool = connectOrm({ url: database.serviceUrl, name: "test", connectionsMax: 1, session });
  const id = crypto.randomUUID();
  await owner`
    INSERT INTO accounts (id, email, plan) VALUES (${id}, ${`${id}@example.com`}, 'free')`;
  const change = pool.run(4_000, ({ db }) =>
    db.update(accounts).set({ name: "changed" }).where(eq(accounts.id, id)).returning({ at: accounts.createdAt }),
  );
  await expect(change).rejects.toMatchObject({ status: 503, publicMessage: describeFault("settings") });
  expect(describeFault("settings")).toContain("unknown");
  expect(await owner`SELECT name FROM accounts WHERE id = ${id}`).toEqual([{ name: "changed" }]);
  await pool.close();
});

describe("the test write", () => {
  const probe = async (url: string, session: Record<string, string> = {}) => {
    const pool = connect({ url, name: "test", connectionsMax: 1, session });
    const result = await pool.run(4_000, ({ sql }) => probeWrite(sql)).catch((error) => error);
    await pool.close();
    return result;
  };
  // Left out is what others write meanwhile: the statistics of columns, and the catalogs that all databases share.
  const size = async () => {
    const [row] = await owner`
      SELECT pg_relation_size('schedules') + pg_relation_size('attempts_default') + pg_relation_size('instance_secrets') AS bytes,
        (SELECT ctid::text FROM instance_secrets WHERE name = 'key_check') AS version,
        (SELECT sum(pg_relation_size(oid))::bigint FROM pg_class
          WHERE relnamespace = 'pg_catalog'::regnamespace AND NOT relisshared AND relname NOT LIKE 'pg\\_statistic%')
          AS catalog`;
    return row;
  };

  it("takes an id of a transaction, but leaves no row, no version of a row and nothing in the catalog", async () => {
    await owner`INSERT INTO instance_secrets (name, sealed) VALUES ('key_check', '\\x00') ON CONFLICT DO NOTHING`;
    const snapshot = async () => (await owner`SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid`)[0]?.xid;
    const [before, xid] = [await size(), await snapshot()];
    for (let n = 0; n < 50; n++) expect(await probe(database.serviceUrl)).toBeUndefined();
    expect(await size()).toEqual(before);
    expect(Number(await snapshot())).toBeGreaterThanOrEqual(Number(xid) + 50);
  });

  it("does not wait for others that make it at the same time, nor for who changes the row", async () => {
    await owner.begin(async (tx) => {
      await tx`UPDATE instance_secrets SET sealed = '\\x01' WHERE name = 'key_check'`;
      await tx`SELECT 1 FROM instance_secrets WHERE name = 'key_check' FOR KEY SHARE`;
      expect(await Promise.all([probe(database.serviceUrl), probe(database.serviceUrl)])).toEqual([
        undefined,
        undefined,
      ]);
    });
  });

  it.each([
    ["REVOKE INSERT ON schedules FROM stopwatch_service", "GRANT INSERT ON schedules TO stopwatch_service"],
    ["REVOKE UPDATE ON schedules FROM stopwatch_service", "GRANT UPDATE ON schedules TO stopwatch_service"],
    ["REVOKE INSERT ON attempts FROM stopwatch_service", "GRANT INSERT ON attempts TO stopwatch_service"],
  ])("notices %s", async (revoke, grant) => {
    await owner.unsafe(revoke);
    expect(await probe(database.serviceUrl)).toMatchObject({ fault: "privilege" });
    await owner.unsafe(grant);
    expect(await probe(database.serviceUrl)).toBeUndefined();
  });

  it("notices a database that takes no writes", async () => {
    expect(await probe(database.url, { default_transaction_read_only: "on" })).toMatchObject({ fault: "read_only" });
  });
});
