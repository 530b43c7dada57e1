import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import postgres from "postgres";
import { retentionJob } from "../helpers/retention-jobs.ts";
import { waitFor } from "../helpers/wait-for.ts";
import type { Bench, OpenEngine } from "./engine.ts";
import { stopwatch } from "./engines/stopwatch.ts";
import { insertExpired } from "./expired-rows.ts";
import { ACCOUNTS } from "./scenarios.ts";

/** What one operation costs the database, on average over `count`. */
export type Cost = {
  name: string;
  count: number;
  /** User and system time of all processes of the server, µs. */
  cpuUs: number;
  /** Write-ahead log, bytes. */
  walBytes: number;
  /** Growth of the database's files, indexes included; null where nothing is stored. */
  diskBytes: number | null;
};

const PAYLOAD_BYTES = 1_024;
const PER_SECOND = 300;
const AHEAD_MS = 6_000;
const RETENTION_ROWS = 200;
const DEADLINE_MS = 120_000;
const TICK_US = 10_000;

/**
 * Measures what a create, a delivery, a failed attempt that is to be tried again, and a deletion cost the server whose files are
 * in `cluster`. Schedules have a payload of 1 KB and belong to 100 accounts. Deliveries and attempts come at 300 a second, with
 * all that a dispatcher asks for meanwhile. `seconds` is how long they take.
 */
export async function measureCosts(
  bench: Bench & { cluster: string },
  { seconds }: { seconds: number },
  onCost: (cost: Cost) => void,
): Promise<Cost[]> {
  let url = "";
  const createDatabase = async () => {
    const made = await bench.createDatabase();
    url = made.url;
    return made;
  };
  const failing = await startFailing();
  const origins = { hangingOrigin: `http://localhost:${(failing.address() as AddressInfo).port}` };
  const open = await stopwatch.open({ ...bench, ...origins, createDatabase });
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const workers = await open.start(1);
  const costs: Cost[] = [];
  const measure = async (name: string, count: number, storesRows: boolean, work: () => Promise<unknown>) => {
    await sql`CHECKPOINT`;
    const before = await readUse(sql, bench.cluster);
    await work();
    const after = await readUse(sql, bench.cluster);
    const cost: Cost = {
      name,
      count,
      cpuUs: (after.cpuUs - before.cpuUs) / count,
      walBytes: (after.walBytes - before.walBytes) / count,
      diskBytes: storesRows ? (after.diskBytes - before.diskBytes) / count : null,
    };
    costs.push(cost);
    onCost(cost);
  };
  try {
    const count = PER_SECOND * seconds;
    await measure("create", count, true, () => createEach(open, bench.origin, count));
    for (const [name, origin, outcome] of [
      ["delivery", bench.origin, "delivered"],
      ["retry", origins.hangingOrigin, "rejected"],
    ] as const) {
      await storeSteady(open, origin, count);
      await measure(name, count, true, () =>
        waitFor(
          `every ${name} is recorded`,
          async () => {
            const [row] = await sql`SELECT count(*)::int AS n FROM attempts WHERE outcome = ${outcome}`;
            return row?.n >= count;
          },
          DEADLINE_MS,
        ),
      );
    }
    await Promise.all(workers.map((worker) => worker.stop()));
    const accounts = await sql<{ id: string }[]>`SELECT id FROM accounts LIMIT ${ACCOUNTS}`;
    await insertExpired(
      sql,
      accounts.map(({ id }) => id),
      { rows: count, expired: "delete" },
    );
    await measure("deletion", count, false, () => deleteAll(sql, count));
    return costs;
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    failing.close();
    failing.closeAllConnections();
    await sql.end();
    await open.close();
  }
}

const HOUR_MS = 3_600_000;
const CREATORS = 8;
const body = JSON.stringify({ filler: "x".repeat(PAYLOAD_BYTES - '{"filler":""}'.length) });

/** Each by a statement of its own, eight at a time, due in an hour. */
async function createEach(open: OpenEngine, origin: string, count: number) {
  let n = 0;
  const creator = async () => {
    while (n < count) {
      const own = n++;
      await open.enqueue([
        { n: own, account: own % ACCOUNTS, dueAtMs: Date.now() + HOUR_MS, url: `${origin}/d/${own}`, body },
      ]);
    }
  };
  await Promise.all(Array.from({ length: CREATORS }, creator));
}

async function storeSteady(open: OpenEngine, origin: string, count: number) {
  const beginMs = Date.now() + AHEAD_MS;
  await open.enqueue(
    Array.from({ length: count }, (_, n) => ({
      n,
      account: n % ACCOUNTS,
      url: `${origin}/d/${n}`,
      body,
      dueAtMs: beginMs + Math.floor((n * 1_000) / PER_SECOND),
    })),
  );
}

async function deleteAll(sql: postgres.Sql, count: number) {
  const job = retentionJob("schedules");
  let [cursor, deleted] = [job.first, 0];
  while (cursor !== null) {
    const step = await job.batch(sql, cursor, RETENTION_ROWS);
    deleted += step.rows;
    cursor = step.next;
  }
  if (deleted !== count) throw new Error(`retention deleted ${deleted} of ${count} rows`);
}

/** A target that answers 503, so that each attempt is to be repeated. */
async function startFailing() {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(503).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function readUse(sql: postgres.Sql, cluster: string) {
  const [row] = await sql`
    SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS "walBytes", pg_database_size(current_database())::float8 AS "diskBytes"`;
  return {
    walBytes: row?.walBytes as number,
    diskBytes: row?.diskBytes as number,
    cpuUs: await readServerCpuUs(cluster),
  };
}

/** CPU of the server's processes, those that have ended included. proc_pid_stat(5): fields 4 and 14 to 17. */
async function readServerCpuUs(cluster: string): Promise<number> {
  const [main] = (await readFile(join(cluster, "postmaster.pid"), "utf8")).split("\n");
  let ticks = 0;
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (pid === main) ticks += Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14]);
    else if (fields[1] === main) ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * TICK_US;
}

/** One cost on one line. */
export function costLine({ name, count, cpuUs, walBytes, diskBytes }: Cost): string {
  const disk = diskBytes === null ? "" : `, ${(diskBytes / 1_024).toFixed(2)} KB of disk`;
  return `${name} (${count.toLocaleString("en")}): ${cpuUs.toFixed(0)} µs of PostgreSQL, ${(walBytes / 1_024).toFixed(2)} KB of log${disk}`;
}
