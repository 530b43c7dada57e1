import postgres from "postgres";
import { migrate } from "#db/migrate.ts";
import { listTables } from "#scripts/postgres/compare-tables.ts";
import { copyTables } from "#scripts/upgrade/copy-tables.ts";
import { SERVICE_ROLE } from "./service-role.ts";

/**
 * Replaces the rows of one database by those of another one with the same schema, as `pg_dump` and `pg_restore --data-only` do:
 * the tables of `to` stay the same.
 */
export async function copyRows(from: string, to: string): Promise<void> {
  await using source = open(from);
  await using target = open(to);
  await source.sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`;
  const tables = await listTables(source.sql, { unlogged: true });
  await copyTables({ from: source.sql, to: target.sql }, tables, {
    onRows: () => {},
    signal: new AbortController().signal,
  });
}

/** Makes a database of that name on the server of `url`, empty or as a copy of the files of another one. Returns its address. */
export async function createDatabase(url: string, name: string, { template = "template1" } = {}): Promise<string> {
  await using server = open(atDatabase(url, "postgres"));
  await endSessions(server.sql, template);
  await server.sql`CREATE DATABASE ${server.sql(name)} TEMPLATE ${server.sql(template)}`;
  return atDatabase(url, name);
}

/** Makes a migrated database with the rows of another one, on the server of `url`. Returns its address. */
export async function copyDatabase(from: string, url: string, name: string): Promise<string> {
  const to = await createDatabase(url, name);
  await migrate(to, { serviceRoles: await rolesIn(to) });
  await copyRows(from, to);
  return to;
}

/** Drops the database of `url` with its sessions, and makes one of that name with the rows of `backup`. */
export async function restoreFrom(backup: string, url: string): Promise<void> {
  const name = nameOf(url);
  // All at once, so that a client that reconnects finds it whole.
  const made = await copyDatabase(backup, url, `${name}_restored`);
  await using server = open(atDatabase(url, "postgres"));
  await server.sql`DROP DATABASE ${server.sql(name)} WITH (FORCE)`;
  await server.sql`ALTER DATABASE ${server.sql(nameOf(made))} RENAME TO ${server.sql(name)}`;
}

export async function dropDatabase(url: string): Promise<void> {
  await using server = open(atDatabase(url, "postgres"));
  await server.sql`DROP DATABASE IF EXISTS ${server.sql(nameOf(url))} WITH (FORCE)`;
}

export const nameOf = (url: string): string => new URL(url).pathname.slice(1);
export const atDatabase = (url: string, name: string): string =>
  Object.assign(new URL(url), { pathname: `/${name}` }).href;

async function rolesIn(url: string): Promise<string[]> {
  await using database = open(url);
  const found = await database.sql`SELECT FROM pg_roles WHERE rolname = ${SERVICE_ROLE}`;
  return found.length > 0 ? [SERVICE_ROLE] : [];
}

async function endSessions(sql: postgres.Sql, database: string): Promise<void> {
  await sql`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = ${database}`;
}

function open(url: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {}, fetch_types: false });
  return { sql, [Symbol.asyncDispose]: () => sql.end({ timeout: 2 }) };
}
