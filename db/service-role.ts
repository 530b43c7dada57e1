import type postgres from "postgres";
import { journalIn, readSchema } from "./schema-of-installation.ts";

/**
 * Gives a role what the web process and the dispatcher need, and nothing else: rows, but no tables, and the audit log to
 * read and to add to. Takes back what it had beyond that. Run it by the owner of the tables, after the migrations.
 */
export async function grantToServiceRole(sql: postgres.Sql, role: string): Promise<void> {
  await sql.begin(async (tx) => {
    const grantee = tx(role);
    const schema = (await readSchema(tx)) ?? "public";
    const schemas = schema === "public" ? ["public", "drizzle"] : [schema];
    await tx`REVOKE ALL ON ALL TABLES IN SCHEMA ${tx(schema)} FROM ${grantee}`;
    await tx`GRANT USAGE ON SCHEMA ${tx(schemas)} TO ${grantee}`;
    await tx`GRANT SELECT ON ${tx.unsafe(journalIn(schema))} TO ${grantee}`;
    for (const { name } of await readTables(tx)) {
      await tx`GRANT ${tx.unsafe(privilegesOn(name))} ON ${tx(name)} TO ${grantee}`;
    }
    await tx`
      GRANT EXECUTE ON FUNCTION make_attempt_partitions(date, integer), drop_attempt_partition(integer) TO ${grantee}`;
  });
}

/** Tables on which the service needs less than SELECT, INSERT, UPDATE and DELETE. */
const PRIVILEGES = {
  audit_log: "SELECT, INSERT",
  // The rows of deleted accounts stay.
  accounts: "SELECT, INSERT, UPDATE",
  instance_secrets: "SELECT, INSERT, UPDATE",
  attempts: "SELECT, INSERT, DELETE",
  // Retention deletes from it directly; attempts go through `attempts`. UPDATE is for row locks.
  attempts_default: "SELECT, UPDATE, DELETE",
  shards: "SELECT, UPDATE",
  holds: "SELECT, INSERT, UPDATE",
} as const;

/** What the role of this connection lacks of the rights on tables that the service needs, such as "UPDATE on schedules". */
export async function readMissingRights(sql: postgres.Sql): Promise<string[]> {
  const wanted = (await readTables(sql)).flatMap(({ id, name }) =>
    privilegesOn(name)
      .split(", ")
      .map((privilege) => ({ id, name, privilege })),
  );
  const rows = await sql<{ lacks: string }[]>`
    SELECT w.privilege || ' on ' || w.name AS lacks
    FROM jsonb_to_recordset(${JSON.stringify(wanted)}::text::jsonb) w (id oid, name text, privilege text)
    WHERE NOT has_table_privilege(w.id, w.privilege)
    ORDER BY w.name, w.privilege`;
  return rows.map(({ lacks }) => lacks);
}

const privilegesOn = (table: string): string =>
  PRIVILEGES[table as keyof typeof PRIVILEGES] ?? "SELECT, INSERT, UPDATE, DELETE";

// Without the daily partitions, which are reached through `attempts`.
function readTables(sql: postgres.Sql | postgres.TransactionSql) {
  return sql<{ id: number; name: string }[]>`
    SELECT oid::integer AS id, relname AS name FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND relname <> '__drizzle_migrations'
      AND (NOT relispartition OR relname = 'attempts_default')
    ORDER BY relname`;
}

/**
 * The role that an address connects as; undefined when it may change the tables anyway, because it owns them, is a member
 * of their owner or a superuser. `schema` is that of the installation.
 */
export async function readRestrictedRole(sql: postgres.Sql, schema: string | null): Promise<string | undefined> {
  // By name in the catalog: before the grants, the role may not even use the schema.
  const [row] = await sql`
    SELECT current_user AS role, pg_has_role(c.relowner, 'MEMBER') AS "isOwner"
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ${schema} AND c.relname = 'audit_log'`;
  return row?.isOwner ? undefined : row?.role;
}

/**
 * Rights beyond these that the role has through PUBLIC, another role or its own attributes: sentences, each with the
 * statement that ends one. Undefined when there are none. Run it by the owner of the tables.
 */
export async function describeExcess(sql: postgres.Sql, role: string): Promise<string | undefined> {
  const [can] = await sql`
    SELECT has_schema_privilege(oid, current_schema(), 'CREATE') AS "createTables",
      has_table_privilege(oid, 'audit_log', 'UPDATE, DELETE, TRUNCATE, TRIGGER')
        OR has_any_column_privilege(oid, 'audit_log', 'UPDATE') AS "changeAuditLog",
      rolcreaterole AS "createRoles", quote_ident(current_schema()) AS schema
    FROM pg_roles WHERE rolname = ${role}`;
  const named = JSON.stringify(role);
  const found = [
    ...(can?.createTables
      ? [`can create tables: run REVOKE CREATE ON SCHEMA ${can.schema} FROM PUBLIC, ${named}`]
      : []),
    ...(can?.changeAuditLog
      ? ["can change the audit log: run REVOKE ALL ON audit_log FROM PUBLIC, and see its roles"]
      : []),
    ...(can?.createRoles ? [`can create roles, and be one of them: run ALTER ROLE ${named} NOCREATEROLE`] : []),
  ];
  return found.length > 0 ? found.map((one) => `The role ${role} ${one}.`).join(" ") : undefined;
}
