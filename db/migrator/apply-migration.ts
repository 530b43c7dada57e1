import type postgres from "postgres";
import type { Sql } from "../client.ts";
import { journalIn } from "../schema-of-installation.ts";
import { replaceFunctions, type SqlFunctions } from "./apply-functions.ts";
import type { Migration } from "./read-migrations.ts";
import { runIndexStep } from "./run-index-step.ts";
import type { MigrationSession } from "./session.ts";
import { inTurn } from "./turn.ts";

/**
 * Makes the table of applied migrations, in drizzle's form, so that drizzle's own migrator and drizzle-kit read it. Source:
 * drizzle-orm, `PgDialect.migrate`.
 */
export async function makeJournal(sql: Sql, schema: string): Promise<void> {
  if (schema === "public") await sql.unsafe(`CREATE SCHEMA IF NOT EXISTS drizzle`);
  await sql.unsafe(
    `CREATE TABLE IF NOT EXISTS ${journalIn(schema)} (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint)`,
  );
}

/** The first migration that was written after the newest applied one, which is drizzle's rule. */
export async function findPending(
  sql: Pick<Sql, "unsafe">,
  schema: string,
  migrations: readonly Migration[],
): Promise<Migration | undefined> {
  const [row] = await sql.unsafe(`SELECT max(created_at)::float8 AS newest FROM ${journalIn(schema)}`);
  return migrations.find(({ writtenAt }) => writtenAt > (row?.newest ?? -Infinity));
}

/**
 * Applies a migration: in one transaction with its row in the journal, or, when it consists of steps, one after the other,
 * and the row after the last. With the row of the last migration come the functions of its version. Does nothing when another
 * process has applied it meanwhile.
 */
export async function applyMigration(
  session: MigrationSession,
  schema: string,
  migration: Migration,
  functions: SqlFunctions | undefined,
): Promise<void> {
  const { tag } = migration;
  if (migration.kind === "steps") for (const step of migration.steps) await runIndexStep(session, step);
  await inTurn(session, `migration ${tag}`, async (tx) => {
    if ((await findPending(tx, schema, [migration])) === undefined) return;
    if (migration.kind === "transaction") for (const statement of migration.statements) await tx.unsafe(statement);
    if (functions) await replaceFunctions(tx, schema, functions);
    await record(tx, schema, migration);
  });
}

async function record(tx: postgres.TransactionSql, schema: string, { hash, writtenAt }: Migration): Promise<void> {
  await tx`INSERT INTO ${tx.unsafe(journalIn(schema))} (hash, created_at) VALUES (${hash}, ${writtenAt})`;
}
