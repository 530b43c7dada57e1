import { differences } from "../postgres/count-rows.ts";
import type { Side } from "./servers.ts";
import { readTables } from "./tables.ts";

export type Comparison = {
  /** One sentence for each table whose rows differ, and how many rows the target has. */
  done: Promise<{ differences: string[]; rows: number }>;
  end(): Promise<void>;
};

/**
 * Counts the rows of each table on both sides, as they are when this resolves: what is written after that is not seen, so
 * that counting may go on while the target takes writes.
 */
export async function beginComparison(source: Side, target: Side): Promise<Comparison> {
  const [from, to] = [source.open(), target.open()];
  for (const sql of [from, to]) {
    await sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`;
    await sql`SELECT 1`;
  }
  const done = (async () => {
    const [wanted, found] = [new Map<string, number>(), new Map<string, number>()];
    for (const { name } of await readTables({ sql: to })) {
      const count = (sql: Side["sql"]) => sql.unsafe(`SELECT count(*)::float8 AS n FROM ${name}`);
      const [[ofSource], [ofTarget]] = await Promise.all([count(from), count(to)]);
      wanted.set(name, ofSource?.n);
      found.set(name, ofTarget?.n);
    }
    const rows = [...found.values()].reduce((sum, n) => sum + n, 0);
    return { differences: differences(wanted, found), rows };
  })();
  // Whoever waits for it gets the error; who has given up before does not.
  done.catch(() => {});
  return {
    done,
    async end() {
      await Promise.all([from, to].map((sql) => sql.end({ timeout: 1 })));
    },
  };
}
