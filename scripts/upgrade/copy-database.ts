import postgres, { type Sql } from "postgres";
import { continueHere } from "#db/queries/fleet/holds.ts";
import { DIRECT_SESSION } from "#db/sessions.ts";
import { count } from "../count.ts";
import { isOwnIncarnation } from "../own-incarnation.ts";
import { findDifferences, listTables, sumRows, type Table, totalRows } from "../postgres/compare-tables.ts";
import { SetupError } from "../setup-error.ts";
import { copyTables } from "./copy-tables.ts";

type Options = { onProgress: (text: string) => void; signal: AbortSignal };

/**
 * Copies all rows of the database at `fromUrl` to the one at `toUrl`, which must have the same schema and whose rows are lost,
 * and compares them. Both servers must be of this process alone. Returns how many rows and tables. Throws a
 * SetupError when there are tables that Stopwatch did not make, or the rows differ.
 */
export async function copyDatabase(
  fromUrl: string,
  toUrl: string,
  { onProgress, signal }: Options,
): Promise<{ rows: number; tables: number }> {
  const [from, to] = [open(fromUrl), open(toUrl)];
  try {
    await from.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const isContinued = await isOwnIncarnation(from);
    const tables = await listTables(from, { unlogged: true });
    await assertAllOfStopwatch({ from, to }, tables);

    const read = (sql: Sql, verb: string) =>
      sumRows(sql, tables, { onTable: (name) => onProgress(`${verb} ${name}`), signal });
    const wanted = await read(from, "reading");
    const rows = totalRows(wanted);
    const onRows = (copied: number) => onProgress(`${count(copied)} of ${count(rows)} rows copied`);
    await copyTables({ from, to }, tables, { onRows, signal });
    const wrong = findDifferences(wanted, await read(to, "comparing"));
    if (wrong.length > 0) throw new SetupError(`The copy is not complete, and was removed: ${wrong.join("; ")}.`);

    if (isContinued) await continueHere(to);
    onProgress("gathering statistics");
    await to.unsafe("VACUUM (ANALYZE)");
    return { rows, tables: tables.length };
  } catch (error) {
    if (signal.aborted || !isOfServer(error)) throw error;
    throw new SetupError(`The copy failed, and was removed: ${error.message}.`);
  } finally {
    await Promise.all([from.end({ timeout: 2 }), to.end({ timeout: 2 })]);
  }
}

// Values as text are the same in both.
const SESSION = {
  application_name: "stopwatch upgrade-database",
  ...DIRECT_SESSION,
  idle_in_transaction_session_timeout: "0",
} as Record<string, string | number>;

const open = (url: string) => postgres(url, { max: 1, max_lifetime: null, onnotice: () => {}, connection: SESSION });

const isOfServer = (error: unknown): error is Error => error instanceof Error && "code" in error;

/** What an operator has added would be missing afterwards. */
async function assertAllOfStopwatch({ from, to }: { from: Sql; to: Sql }, tables: readonly Table[]) {
  const own = new Set((await listTables(to, { unlogged: true })).map(({ name }) => name));
  const others = tables.filter(({ name }) => !own.has(name)).map(({ name }) => `the table ${name}`);
  const databases = await from`
    SELECT format('the database %I', datname) AS name FROM pg_database
    WHERE NOT datistemplate AND datname NOT IN ('postgres', current_database())`;
  const found = [...others, ...databases.map(({ name }) => name)];
  if (found.length > 0)
    throw new SetupError(
      `This command copies what Stopwatch has made alone, and there is also ${found.join(", ")}: move it elsewhere and drop it first.`,
    );
}
