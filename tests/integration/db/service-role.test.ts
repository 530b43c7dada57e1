import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "#db/migrate.ts";
import { describeExcess, readRestrictedRole } from "#db/service-role.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { documentedGrants, SERVICE_ROLE } from "../../helpers/service-role.ts";
import { runNode, runScript } from "../scripts/script-process.ts";

let database: TestDatabase;
let owner: postgres.Sql;
let service: postgres.Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = postgres(database.url, { max: 1, onnotice: () => {} });
  service = postgres(database.serviceUrl, { max: 1, onnotice: () => {} });
  await owner`
    INSERT INTO audit_log (id, actor, action, subject_id, before, after)
    VALUES (gen_random_uuid(), 'operator', 'deactivate', gen_random_uuid(), '{}', '{}')`;
});
afterAll(async () => {
  await Promise.all([owner.end(), service.end()]);
  await database.drop();
});

const DENIED = "42501";
const refusal = (statement: string) =>
  service.unsafe(statement).then(
    () => "done",
    ({ code }) => code,
  );
const partitions = async () =>
  (await owner`SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'attempts'::regclass`).map(
    ({ name }) => name,
  );

describe("the role of the service", () => {
  it.each([
    "UPDATE audit_log SET action = 'reactivate'",
    "DELETE FROM audit_log",
    "TRUNCATE audit_log",
    "ALTER TABLE audit_log DISABLE TRIGGER audit_log_append_only",
    "ALTER TABLE audit_log DISABLE TRIGGER ALL",
    "DROP TRIGGER audit_log_append_only ON audit_log",
    "DROP TABLE audit_log",
    "CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'",
    "DROP FUNCTION refuse_audit_change() CASCADE",
    "SET session_replication_role = replica",
    "CREATE RULE keep AS ON DELETE TO audit_log DO INSTEAD NOTHING",
    "CREATE TRIGGER mine BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()",
  ])("cannot change the audit log, nor what guards it: %s", async (statement) => {
    expect(await refusal(statement)).toBe(DENIED);
    expect(await owner`SELECT action FROM audit_log`).toEqual([{ action: "deactivate" }]);
  });

  it.each([
    "ALTER TABLE schedules ADD COLUMN x text",
    "ALTER TABLE schedules DROP CONSTRAINT schedules_never_early",
    "ALTER TABLE schedules DISABLE TRIGGER ALL",
    "DROP TABLE schedules CASCADE",
    "TRUNCATE schedules",
    "DROP INDEX schedules_due",
    "CREATE TABLE mine (x text)",
    "CREATE TABLE attempts_20000101 PARTITION OF attempts FOR VALUES FROM ('2000-01-01') TO ('2000-01-02')",
    "CREATE SCHEMA mine",
    "CREATE FUNCTION public.now() RETURNS timestamptz LANGUAGE sql AS 'SELECT NULL::timestamptz'",
    "ALTER FUNCTION make_attempt_partitions(date, integer) SECURITY INVOKER",
    "DELETE FROM accounts",
    "DELETE FROM instance_secrets",
    "UPDATE drizzle.__drizzle_migrations SET hash = ''",
    "DELETE FROM drizzle.__drizzle_migrations",
    "CREATE ROLE mine",
    "SET ROLE stopwatch",
    "COPY schedules TO '/tmp/schedules'",
  ])("cannot change tables, roles or the list of migrations: %s", async (statement) => {
    expect(await refusal(statement)).toBe(DENIED);
  });

  it("cannot give itself privileges", async () => {
    await service.unsafe(`GRANT UPDATE, DELETE ON audit_log TO ${SERVICE_ROLE}`);
    expect(await refusal("UPDATE audit_log SET action = 'x'")).toBe(DENIED);
  });

  it("adds to the audit log and reads it", async () => {
    await service`
      INSERT INTO audit_log (id, actor, action, subject_id, before, after)
      VALUES (gen_random_uuid(), 'operator', 'reactivate', gen_random_uuid(), '{}', '{}')`;
    expect(await service`SELECT count(*)::int AS n FROM audit_log`).toEqual([{ n: 2 }]);
    await owner`ALTER TABLE audit_log DISABLE TRIGGER ALL`;
    await owner`DELETE FROM audit_log WHERE action = 'reactivate'`;
    await owner`ALTER TABLE audit_log ENABLE TRIGGER ALL`;
  });

  it("makes partitions of attempts and drops old ones, in the name of their owner, and no more than 100 at once", async () => {
    await service`SELECT make_attempt_partitions('2001-02-03', 1)`;
    expect(await partitions()).toContain("attempts_20010203");
    expect(await refusal("SELECT make_attempt_partitions('1900-01-01', 100000)")).toBe("22023");
    const [dropped] = await service`SELECT drop_attempt_partition(7) AS name`;
    expect(dropped).toEqual({ name: "attempts_20010203" });
    const left = await partitions();
    expect(await service`SELECT drop_attempt_partition(-1000) AS name`).toEqual([{ name: null }]);
    expect(await partitions()).toEqual(left);
  });

  it("cannot redirect the functions that run with the owner's privileges to tables or functions of its own", async () => {
    await service`SET search_path = pg_temp, public`;
    await service`CREATE TEMP TABLE attempts (LIKE public.attempts)`;
    await service`CREATE FUNCTION pg_temp.to_char(date, text) RETURNS text LANGUAGE sql AS $$ SELECT 'mine'::text $$`;
    await service`SELECT public.make_attempt_partitions('2001-02-04', 1)`;
    expect(await partitions()).toContain("attempts_20010204");
    await service`DISCARD ALL`;
    await owner`DROP TABLE attempts_20010204`;
  });

  it("cannot be used by others to make or drop partitions", async () => {
    await owner.unsafe("CREATE ROLE somebody_else");
    try {
      await owner`SET ROLE somebody_else`;
      await expect(owner`SELECT drop_attempt_partition(1)`).rejects.toMatchObject({ code: DENIED });
      await expect(owner`SELECT make_attempt_partitions('2001-02-03', 1)`).rejects.toMatchObject({ code: DENIED });
    } finally {
      await owner`RESET ROLE`;
      await owner.unsafe("DROP ROLE somebody_else");
    }
  });

  it("loses at the next migration what somebody granted it beyond that", async () => {
    await owner.unsafe(`GRANT ALL ON audit_log, accounts TO ${SERVICE_ROLE}`);
    await migrate(database.url, { serviceRoles: [SERVICE_ROLE] });
    expect(await refusal("DELETE FROM accounts")).toBe(DENIED);
    expect(await refusal("UPDATE audit_log SET action = 'x'")).toBe(DENIED);
  });

  it("is distinguished from the owner", async () => {
    expect([await readRestrictedRole(service, "public"), await readRestrictedRole(owner, "public")]).toEqual([
      SERVICE_ROLE,
      undefined,
    ]);
    expect(await describeExcess(owner, SERVICE_ROLE)).toBeUndefined();
  });

  it.each([
    ["GRANT CREATE ON SCHEMA public TO service", "REVOKE CREATE ON SCHEMA public FROM service", "can create tables"],
    ["GRANT DELETE ON audit_log TO PUBLIC", "REVOKE DELETE ON audit_log FROM PUBLIC", "can change the audit log"],
    [
      "GRANT UPDATE (action) ON audit_log TO PUBLIC",
      "REVOKE UPDATE ON audit_log FROM PUBLIC",
      "can change the audit log",
    ],
    ["GRANT pg_write_all_data TO service", "REVOKE pg_write_all_data FROM service", "can change the audit log"],
    ["ALTER ROLE service CREATEROLE", "ALTER ROLE service NOCREATEROLE", "can create roles"],
    ["GRANT TRIGGER ON audit_log TO PUBLIC", "REVOKE TRIGGER ON audit_log FROM PUBLIC", "can change the audit log"],
  ])("that the migration cannot restrict is noticed: %s", async (grant, revoke, said) => {
    await owner.unsafe(grant.replace("service", SERVICE_ROLE));
    try {
      expect(await describeExcess(owner, SERVICE_ROLE)).toContain(said);
    } finally {
      await owner.unsafe(revoke.replace("service", SERVICE_ROLE));
    }
  });
});

describe("the statements in the documentation", () => {
  it("grant what npm run migrate grants", async () => {
    const role = `svc_${randomBytes(6).toString("hex")}`;
    await owner.unsafe(`CREATE ROLE ${role}`);
    try {
      await owner.unsafe(documentedGrants(role));
      const granted = (to: string) => owner`
        SELECT table_schema, table_name, privilege_type FROM information_schema.role_table_grants
        WHERE grantee = ${to} AND table_name !~ '^attempts_[0-9]{8}$' ORDER BY 1, 2, 3`;
      expect(await granted(role)).toEqual(await granted(SERVICE_ROLE));
      const callable = (by: string) => owner`
        SELECT routine_name FROM information_schema.role_routine_grants WHERE grantee = ${by} ORDER BY 1`;
      expect(await callable(role)).toEqual(await callable(SERVICE_ROLE));
    } finally {
      await owner.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  it("are missed by name when they leave out the daily tables, and the dispatcher does not start", async () => {
    const own = await createTestDatabase();
    const sql = postgres(own.url, { max: 1, onnotice: () => {} });
    const role = `svc_${randomBytes(6).toString("hex")}`;
    try {
      await sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
      await sql.unsafe(documentedGrants(role).replace(/^GRANT EXECUTE.*$/m, ""));
      const DATABASE_URL = Object.assign(new URL(own.url), { username: role, password: role }).href;
      const dispatcher = runNode(["dispatcher/main.ts"], { DATABASE_URL, ENCRYPTION_KEYS, DISPATCHER_PORT: "0" });
      expect(await dispatcher.exited).toBe(1);
      expect([...dispatcher.stdout, ...dispatcher.stderr].join("\n")).toContain(
        `The role ${role} may not make and drop the daily tables of attempts`,
      );
    } finally {
      await sql.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
      await sql.end();
      await own.drop();
    }
  });
});

describe("npm run migrate with DATABASE_OWNER_URL", () => {
  it("grants the role of DATABASE_URL what the service needs, so that it can work, and says so", async () => {
    const own = await createTestDatabase();
    const sql = postgres(own.url, { max: 1, onnotice: () => {} });
    const role = `svc_${randomBytes(6).toString("hex")}`;
    try {
      await sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
      const DATABASE_URL = Object.assign(new URL(own.url), { username: role, password: role }).href;
      const settings = { DATABASE_URL, ENCRYPTION_KEYS };
      const account = async (...args: string[]) => {
        const run = runScript("account", args, settings);
        return { code: await run.exited, out: [...run.stdout, ...run.stderr].join("\n") };
      };
      expect((await account("create", "--email", "ada@example.com")).code).toBe(1);

      const migrating = runScript("migrate", [], { ...settings, DATABASE_OWNER_URL: own.url });
      expect(await migrating.exited).toBe(0);
      expect(migrating.stdout.slice(0, 2)).toEqual([
        `The role ${role} has what the service needs, and may not change the tables.`,
        "The schema is up to date.",
      ]);
      expect(await account("create", "--email", "ada@example.com", "--key", "live")).toMatchObject({ code: 0 });
      expect(await account("deactivate", "--email", "ada@example.com")).toMatchObject({ code: 0 });
      const acts = await sql`SELECT action FROM audit_log ORDER BY id`;
      expect(acts.map(({ action }) => action)).toEqual(["create", "make_api_key", "deactivate"]);
    } finally {
      await sql.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
      await sql.end();
      await own.drop();
    }
  });

  it("does so where nobody but the owner may use the schema public", async () => {
    const own = await createTestDatabase();
    const sql = postgres(own.url, { max: 1, onnotice: () => {} });
    const role = `svc_${randomBytes(6).toString("hex")}`;
    try {
      await sql.unsafe(`REVOKE ALL ON SCHEMA public FROM PUBLIC; CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
      const DATABASE_URL = Object.assign(new URL(own.url), { username: role, password: role }).href;
      const migrating = runScript("migrate", [], { ENCRYPTION_KEYS, DATABASE_URL, DATABASE_OWNER_URL: own.url });
      expect([await migrating.exited, migrating.stderr.join("\n")]).toEqual([0, ""]);
      expect(migrating.stdout[0]).toContain("has what the service needs");
    } finally {
      await sql.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
      await sql.end();
      await own.drop();
    }
  });

  it("is what npm run migrate asks for when it is left out", async () => {
    const migrating = runScript("migrate", [], { DATABASE_URL: database.serviceUrl });
    expect(await migrating.exited).toBe(1);
    expect(migrating.stderr.join("\n")).toMatch(
      new RegExp(`^The user ${SERVICE_ROLE} may not change the schema of .*: set DATABASE_OWNER_URL`),
    );
  });

  it("needs DATABASE_URL beside it", async () => {
    const migrating = runScript("migrate", [], { DATABASE_OWNER_URL: database.url });
    expect(await migrating.exited).toBe(1);
    expect(migrating.stderr.join("\n")).toContain("DATABASE_OWNER_URL needs DATABASE_URL beside it");
  });

  it("says so when DATABASE_URL may change the tables anyway", async () => {
    const migrating = runScript("migrate", [], { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.url });
    expect(await migrating.exited).toBe(0);
    expect(migrating.stdout[0]).toBe("DATABASE_URL connects as a role that may change the tables.");
  });
});
