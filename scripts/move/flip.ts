import { setTimeout as wait } from "node:timers/promises";
import { continueHere } from "#db/queries/fleet/holds.ts";
import { countRows, findDifferences, totalRows } from "../postgres/compare-tables.ts";
import { SetupError } from "../setup-error.ts";
import type { Plan } from "./check.ts";
import { endSessions, type Side, until } from "./servers.ts";
import { NAME, setReadOnly } from "./state.ts";
import { readAttemptDays, readTables } from "./tables.ts";

/**
 * Makes the target the one that takes writes. First the source becomes read-only and its sessions end, so that no write is
 * acknowledged there any more; then the target takes over the rest of the log, and the rows of both are counted; then it is
 * opened. So at most one of them takes writes at any instant. What fails before it is opened is undone. Counting may end
 * after that. `onOpened` is called with how long neither took writes, ms. Returns how many rows the target has. Throws a
 * SetupError.
 */
export async function flip(
  { source, target }: Pick<Plan, "source" | "target">,
  onOpened: (gapMs: number) => void,
): Promise<number> {
  const startedAt = performance.now();
  let comparison: Comparison | undefined;
  try {
    await setReadOnly(source, true);
    await endSessions(source);
    // A run that was killed may have left it disabled.
    await target.sql.unsafe(`ALTER SUBSCRIPTION ${NAME} ENABLE`);
    await untilReplayed(source, target);
    await dropPartitions(source, target);
    comparison = await beginComparison(source, target);
    const early = await Promise.race([comparison.done, wait(COUNT_MS_MAX, undefined, { ref: false })]);
    assertSame(early?.differences);
    await target.sql.unsafe(`ALTER SUBSCRIPTION ${NAME} DISABLE`);
    await target.sql.begin(async (tx) => {
      await continueHere(tx);
      await setReadOnly({ sql: tx }, false);
    });
  } catch (error) {
    await comparison?.end();
    await target.sql.unsafe(`ALTER SUBSCRIPTION ${NAME} ENABLE`).catch(() => {});
    await setReadOnly(source, false);
    throw new SetupError(`${(error as Error).message}. Nothing was moved: ${source.name} takes the writes as before.`, {
      cause: error,
    });
  }
  onOpened(performance.now() - startedAt);
  const { differences, rows } = await comparison.done.finally(comparison.end);
  assertSame(differences);
  return rows;
}

type Comparison = {
  /** One sentence for each table whose rows differ, and how many rows the target has. */
  done: Promise<{ differences: string[]; rows: number }>;
  end(): Promise<void>;
};

/**
 * Counts the rows of each table on both sides, as they are when this resolves: what is written after that is not seen, so
 * that counting may go on while the target takes writes.
 */
async function beginComparison(source: Side, target: Side): Promise<Comparison> {
  const [from, to] = [source.open(), target.open()];
  for (const sql of [from, to]) {
    await sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`;
    await sql`SELECT 1`;
  }
  const done = (async () => {
    const tables = await readTables({ sql: to });
    const read = (sql: Side["sql"]) => countRows(sql, tables);
    const [wanted, found] = await Promise.all([read(from), read(to)]);
    return { differences: findDifferences(wanted, found), rows: totalRows(found) };
  })();
  // A caller that waits for it gets the error; one that has given up before does not.
  done.catch(() => {});
  return {
    done,
    async end() {
      await Promise.all([from, to].map((sql) => sql.end({ timeout: 1 })));
    },
  };
}

/** For how long the rows of large tables are counted before the target takes writes, ms. */
const COUNT_MS_MAX = 2_000;

function assertSame(differences: readonly string[] = []) {
  if (differences.length > 0) throw new SetupError(`The new database lacks something: ${differences.join("; ")}`);
}

/** Waits until the target has all that was committed in the source, on its disk. */
async function untilReplayed(source: Side, target: Side) {
  // A commit of its own, which is on the disk only after those that did not wait for it.
  await source.sql`SELECT pg_logical_emit_message(true, ${NAME}, '')`;
  const [row] = await source.sql`SELECT pg_current_wal_insert_lsn()::text AS lsn`;
  await until(
    `${target.name} did not take over the rest`,
    async () => {
      const [slot] = await source.sql`
        SELECT confirmed_flush_lsn >= ${row?.lsn}::pg_lsn AS done FROM pg_replication_slots WHERE slot_name = ${NAME}`;
      return slot?.done === true;
    },
    REPLAY_MS_MAX,
  );
}

const REPLAY_MS_MAX = 30_000;

/** Drops the daily tables that retention has dropped in the source since the copy began. */
async function dropPartitions(source: Side, target: Side) {
  const [oldest] = await readAttemptDays(source);
  for (const day of await readAttemptDays(target))
    if (oldest !== undefined && day < oldest) await target.sql.unsafe(`DROP TABLE attempts_${day}`);
}
