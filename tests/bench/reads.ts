import { migrate } from "../../db/migrate.ts";
import { nodesOf, type PlanNode, watchStatements } from "../helpers/statements.ts";
import { median } from "./measure.ts";
import { type ReadCase, type ReadGroup, readCases } from "./reads-cases.ts";
import { BIG_ACCOUNT, seedReads } from "./reads-seed.ts";

export type ReadFigures = {
  name: string;
  group: ReadGroup | null;
  /** From the call to the rows, ms: median of the runs. */
  callMs: number;
  /** Planning and execution of all its statements as EXPLAIN ANALYZE reports it, ms: median. */
  databaseMs: number;
  planningMs: number;
  /** The most rows that one node of a plan read, dropped rows included. */
  rowsRead: number;
  /** The indexes and tables that were read, each with the number of rows it returned. */
  plan: string;
};

export type ReadSizes = { accounts: number; schedules: number; attempts: number; ofAccount: number; seededS: number };

const RUNS = 20;
const EXPLAINED = 5;
const ACCOUNTS = 100;
const BIG_EVERY = 6;
const FULL_SCHEDULES = 6_000_000;
const QUICK_SCHEDULES = 300_000;

/** Seeds an empty database with ten million attempts (a twentieth when `quick`). Returns how many there are. */
export async function prepareReads(url: string, { quick }: { quick: boolean }): Promise<ReadSizes> {
  await migrate(url);
  const watched = watchStatements(url);
  try {
    const startedMs = performance.now();
    const schedules = quick ? QUICK_SCHEDULES : FULL_SCHEDULES;
    await seedReads(watched.sql, { schedules, accounts: ACCOUNTS, bigEvery: BIG_EVERY });
    const seededS = Math.round((performance.now() - startedMs) / 1_000);
    const [row] = await watched.sql`
      SELECT count(*)::integer AS attempts, (count(*) FILTER (WHERE account_id = ${BIG_ACCOUNT}))::integer AS "ofAccount"
      FROM attempts`;
    return { accounts: ACCOUNTS, schedules, attempts: row?.attempts, ofAccount: row?.ofAccount, seededS };
  } finally {
    await watched.close();
  }
}

/** Measures every read on a seeded database. `onRead` is called with each result. */
export async function measureReads(url: string, onRead: (figures: ReadFigures) => void): Promise<ReadFigures[]> {
  const watched = watchStatements(url);
  const measured: ReadFigures[] = [];
  try {
    for (const one of readCases(Date.now())) {
      const figures = await measureRead(watched, one);
      measured.push(figures);
      onRead(figures);
    }
  } finally {
    await watched.close();
  }
  return measured;
}

async function measureRead(watched: ReturnType<typeof watchStatements>, one: ReadCase): Promise<ReadFigures> {
  const read = () => one.read(watched.db, watched.sql);
  await read();
  const calls: number[] = [];
  for (let n = 0; n < RUNS; n++) {
    const startedMs = performance.now();
    await read();
    calls.push(performance.now() - startedMs);
  }
  const statements = await watched.of(read);
  const runs: { planningMs: number; executionMs: number; plans: PlanNode[] }[] = [];
  for (let n = 0; n < EXPLAINED; n++) runs.push(await watched.explainAll(statements));
  const nodes = runs[0]?.plans.flatMap(nodesOf) ?? [];
  return {
    name: one.name,
    group: one.group,
    callMs: median(calls) ?? 0,
    databaseMs: median(runs.map(({ planningMs, executionMs }) => planningMs + executionMs)) ?? 0,
    planningMs: median(runs.map(({ planningMs }) => planningMs)) ?? 0,
    rowsRead: Math.max(0, ...nodes.map(rowsReadBy)),
    plan: planLine(nodes),
  };
}

/** The rows that a node read over all its loops, dropped rows included. */
export function rowsReadBy(node: PlanNode): number {
  const dropped = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  return Math.round((node["Actual Rows"] + dropped) * node["Actual Loops"]);
}

// Partitions are counted together, under the name of their table.
function planLine(nodes: PlanNode[]): string {
  const scans = nodes.filter((node) => node["Relation Name"] !== undefined && node["Actual Loops"] > 0);
  const groups = Map.groupBy(scans, (node) => {
    const name = (node["Index Name"] ?? node["Relation Name"] ?? "").replace(/^attempts_(\d{8}|default)/, "attempts_*");
    return `${node["Node Type"]} ${name}`;
  });
  return [...groups]
    .map(([name, group]) => `${name} ${group.reduce((sum, node) => sum + rowsReadBy(node), 0)}`)
    .join(", ");
}

/** One line for each read. */
export function readLine({ name, callMs, databaseMs, planningMs, rowsRead, plan }: ReadFigures): string {
  const ms = (value: number) => value.toFixed(1).padStart(7);
  return `${name.padEnd(44)}${ms(callMs)} ms  in the database${ms(databaseMs)} (planning${ms(planningMs)})  rows ${String(rowsRead).padStart(7)}  ${plan}`;
}
