import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type postgres from "postgres";
import written from "../functions.json" with { type: "json" };
import type { Runner } from "../literals.ts";
import { noteFunctionsAt, readApplied } from "../queries/fleet/schema-version.ts";
import type { MigrationSession } from "./session.ts";
import { inTurn } from "./turn.ts";

/** The SQL functions of a version, and when one of them was last changed, epoch ms. */
export type SqlFunctions = { writtenAt: number; all: readonly SqlFunction[] };
type SqlFunction = { name: string; text: string; hash: string };

/** Reads a folder with a file for each function, which has its name. */
export function readFunctions(folder = FOLDER, { writtenAt }: { writtenAt: number } = written): SqlFunctions {
  const all = readdirSync(folder)
    .sort()
    .map((file) => {
      const text = readFileSync(`${folder}/${file}`, "utf8");
      return { name: file.replace(/\.sql$/, ""), text, hash: hashOf(text) };
    });
  return { writtenAt, all };
}

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const FOLDER = fileURLToPath(new URL("../functions", import.meta.url));

/** Makes the functions that the database lacks: a pending migration may name them, in a trigger for example. Nobody else calls them yet. */
export async function makeMissingFunctions(session: MigrationSession, functions: SqlFunctions): Promise<void> {
  const isMissing = ({ former }: Changed) => former.length === 0;
  if (!(await findChanged(session.sql, functions)).some(isMissing)) return;
  await inTurn(session, "making new SQL functions", async (tx) =>
    makeFunctions(tx, (await findChanged(tx, functions)).filter(isMissing)),
  );
}

/**
 * Makes the functions of the database those of this version, unless it is newer: by its newest migration, which is to be `newest`,
 * or by when its functions were written.
 */
export async function updateFunctions(
  session: MigrationSession,
  schema: string,
  functions: SqlFunctions,
  newest: number,
): Promise<void> {
  const isDue = async (sql: Runner) => {
    const { migrations, functionsAt } = await readApplied(sql);
    if (migrations.at(-1) !== newest || functionsAt > functions.writtenAt) return false;
    return functionsAt < functions.writtenAt || (await findChanged(sql, functions)).length > 0;
  };
  if (!(await isDue(session.sql))) return;
  await inTurn(session, "replacing SQL functions", async (tx) => {
    if (await isDue(tx)) await replaceFunctions(tx, schema, functions);
  });
}

/** Replaces the functions whose text has changed, and notes in the journal of which version they are. */
export async function replaceFunctions(
  tx: postgres.TransactionSql,
  schema: string,
  functions: SqlFunctions,
): Promise<void> {
  await makeFunctions(tx, await findChanged(tx, functions));
  await noteFunctionsAt(tx, schema, functions.writtenAt);
}

/** `former`: the signatures that there are of this name. */
type Changed = SqlFunction & { former: string[] };

/** The functions that another text has made here, or none. The comment of each is the hash of its text, which goes with it into a dump. */
async function findChanged(sql: Runner, { all }: SqlFunctions): Promise<Changed[]> {
  const rows = await sql<{ name: string; signature: string; hash: string | null }[]>`
    SELECT proname AS name, oid::regprocedure::text AS signature, obj_description(oid, 'pg_proc') AS hash FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace`;
  return all.flatMap((one) => {
    const found = rows.filter(({ name }) => name === one.name);
    if (found.length === 1 && found[0]?.hash === one.hash) return [];
    return [{ ...one, former: found.map(({ signature }) => signature) }];
  });
}

async function makeFunctions(tx: postgres.TransactionSql, functions: readonly Changed[]): Promise<void> {
  // A body may name a function or a table that is made later.
  await tx`SELECT set_config('check_function_bodies', 'off', true)`;
  for (const { name, text, hash, former } of functions) {
    const [only, ...others] = former;
    if (only !== undefined && others.length === 0) await replaceFunction(tx, name, text, only);
    else await dropAndMake(tx, text, former);
    await tx.unsafe(`COMMENT ON FUNCTION ${name} IS '${hash}'`);
  }
}

/** Keeps the function, with its triggers and grants, unless it gets other parameters or another result. */
async function replaceFunction(tx: postgres.TransactionSql, name: string, text: string, former: string): Promise<void> {
  try {
    await tx.savepoint((inner) => inner.unsafe(text));
  } catch (error) {
    if ((error as { code?: string }).code !== INVALID_FUNCTION_DEFINITION) throw error;
    return dropAndMake(tx, text, [former]);
  }
  // Other types of parameters have made a second function of that name.
  const found = await tx`
    SELECT FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND proname = ${name}`;
  if (found.length > 1) await tx.unsafe(`DROP FUNCTION ${former}`);
}

/** PostgreSQL does not replace a function by one with another result, or with other names of parameters. */
const INVALID_FUNCTION_DEFINITION = "42P13";

async function dropAndMake(tx: postgres.TransactionSql, text: string, former: readonly string[]): Promise<void> {
  for (const signature of former) await tx.unsafe(`DROP FUNCTION ${signature}`);
  await tx.unsafe(text);
}
