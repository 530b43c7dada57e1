import { connect } from "../../db/client.ts";
import { migrate } from "../../db/migrate.ts";
import { SESSION } from "../../dispatcher/databases.ts";
import { FIRST_ROWS } from "../../dispatcher/retention/batch-rows.ts";
import { RETENTION_SESSION } from "../../dispatcher/retention/retention.ts";
import { newId } from "../../domain/ids.ts";
import { retentionJob } from "../helpers/retention-jobs.ts";
import { insertExpired } from "./expired-rows.ts";

/** The longest first batch, ms. */
export const FIRST_BATCH_MAX_MS = 50;

export type FirstBatch = {
  name: string;
  accounts: number;
  rows: number;
  /** From the first statement of the job until it has deleted rows, ms. */
  firstBatchMs: number;
  /** Rows of that batch. */
  deleted: number;
};

const BACKLOGS = [
  { name: "5,000,000 expired rows in one account", accounts: 1, rows: 5_000_000 },
  { name: "1,000,000 expired rows in 1,000 accounts", accounts: 1_000, rows: 1_000_000 },
];

type CreateDatabase = { createDatabase(): Promise<{ url: string; drop(): Promise<void> }> };

/**
 * Measures how long a new dispatcher takes to delete the first rows of a large backlog (a twentieth of it when `quick`).
 * `createDatabase` creates an empty database.
 */
export async function measureFirstBatches(
  { createDatabase }: CreateDatabase,
  { quick }: { quick: boolean },
  onMeasured: (measured: FirstBatch) => void,
): Promise<FirstBatch[]> {
  const measured: FirstBatch[] = [];
  for (const backlog of BACKLOGS) {
    const { url, drop } = await createDatabase();
    const rows = quick ? backlog.rows / 20 : backlog.rows;
    await fill(url, backlog.accounts, rows);
    const one = { ...backlog, rows, ...(await runFirstBatch(url)) };
    measured.push(one);
    onMeasured(one);
    await drop();
  }
  return measured;
}

async function fill(url: string, accounts: number, rows: number) {
  await migrate(url);
  const owner = connect({ url, name: "stopwatch bench", connectionsMax: 1 });
  try {
    await owner.run(1_200_000, async ({ sql }) => {
      // Deleting leaves it to vacuum, and creating it on so many rows takes minutes.
      await sql`DROP INDEX schedule_requests_search`;
      const ids = Array.from({ length: accounts }, () => newId(Date.now()));
      await sql`INSERT INTO accounts ${sql(ids.map((id) => ({ id, email: `${id}@example.com`, plan: "indie" })))}`;
      await insertExpired(sql, ids, { rows, expired: "delete" });
    });
  } finally {
    await owner.close();
  }
}

async function runFirstBatch(url: string) {
  const session = { ...SESSION, ...RETENTION_SESSION };
  const database = connect({ url, name: "stopwatch bench", connectionsMax: 1, session });
  const job = retentionJob("schedules");
  try {
    await database.run(5_000, ({ sql }) => sql`SELECT 1`);
    const beganMs = performance.now();
    let cursor = job.first;
    let deleted = 0;
    while (deleted === 0 && cursor !== null) {
      const step = await database.run(5_000, ({ sql }) => job.batch(sql, cursor, FIRST_ROWS));
      [deleted, cursor] = [step.rows, step.next];
    }
    return { firstBatchMs: performance.now() - beganMs, deleted };
  } finally {
    await database.close();
  }
}

/** One backlog on one line. */
export function firstBatchLine({ name, rows, firstBatchMs, deleted }: FirstBatch): string {
  return `${name} (${rows.toLocaleString("en")} here): first ${deleted} deleted after ${firstBatchMs.toFixed(1)} ms`;
}
