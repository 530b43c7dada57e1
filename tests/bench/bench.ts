import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { startEmbeddedPostgres } from "../../scripts/postgres/embedded.ts";
import { HELD_TRANSACTIONS } from "../helpers/held-transactions.ts";
import { type Cost, costLine, measureCosts } from "./costs.ts";
import type { Bench, Engine, OpenEngine } from "./engine.ts";
import { stopwatch } from "./engines/stopwatch.ts";
import { listeningLine, measureListening } from "./listening.ts";
import { isOther } from "./load-engines.ts";
import type { Figures } from "./measure.ts";
import { measurePages, pageLine } from "./pages.ts";
import { profileLines } from "./profile.ts";
import { measureReads, prepareReads, readLine } from "./reads.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { type Failure, failureLines, type Run, summarise, table } from "./report.ts";
import { writePart, writeResults } from "./results.ts";
import { firstBatchLine, measureFirstBatches } from "./retention.ts";
import { createRunner } from "./run-scenario.ts";
import { makeScenario, type Scenario, type ScenarioName, type ScenarioOptions } from "./scenarios.ts";
import {
  checkFirstBatches,
  checkPages,
  checkReads,
  checkThresholds,
  checkWrites,
  thresholdLines,
} from "./thresholds.ts";
import { measureWrites, writeLine } from "./writes.ts";

export type BenchOptions = {
  rounds: number;
  scenarios: readonly ScenarioName[];
  engines: readonly Engine[];
  /** Whether creating over HTTP is measured, too. */
  writes: boolean;
  /**
   * Whether reads of lists and figures are measured, too, over ten million attempts, or over a twentieth of them when
   * `quick`.
   */
  reads: boolean;
  /** Whether the pages of an account with a million schedules are measured, too. */
  pages: boolean;
  /** Whether what single operations cost the database is measured, too. */
  costs: boolean;
  /** Whether the lateness that a listener adds is measured, too. */
  listening: boolean;
  /** Whether the first batch of retention on a large backlog is measured, too. */
  retention: boolean;
  quick: boolean;
  /** Whether Stopwatch's dispatchers write CPU profiles, which makes them slower. */
  profile: boolean;
  /** The file of `results/` that gets the medians, without its ending. */
  results: string;
} & ScenarioOptions;

/**
 * Runs every scenario on every engine, `rounds` times interleaved, with one Postgres that has the settings of `npm
 * start` and one receiver. Runs the other parts afterwards. Prints a line for each run and then the table, and writes
 * them to `results/`.
 */
export async function runBench(options: BenchOptions, signal: AbortSignal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-bench-"));
  // PostgreSQL runs as another user when this process runs as root.
  await chmod(folder, 0o711);
  const receiver = await startReceiver();
  const server = await startEmbeddedPostgres(join(folder, "data"));
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  stopped.catch(() => {});
  try {
    signal.throwIfAborted();
    await writeFile(join(folder, "ca.pem"), receiver.ca);
    const bench: Bench = {
      serverUrl: server.url,
      createDatabase: createDatabaseMaker(server.url),
      folder,
      profiles: options.profile ? await mkdtemp(join(tmpdir(), "stopwatch-profiles-")) : undefined,
      caFile: join(folder, "ca.pem"),
      ca: receiver.ca,
      origin: `https://localhost:${receiver.port}`,
      hangingOrigin: `https://localhost:${receiver.hangingPort}`,
      slowOrigin: `https://localhost:${receiver.slowPort}`,
      manyPorts: receiver.manyPorts,
    };
    if (options.scenarios.length > 0) await Promise.race([runDeliveries(options, bench, receiver), stopped]);
    if (options.writes) await Promise.race([runWrites(options, bench), stopped]);
    if (options.costs) await Promise.race([runCosts(options, { ...bench, cluster: server.cluster }), stopped]);
    if (options.listening) await Promise.race([runListening(options, bench), stopped]);
    if (options.reads) await Promise.race([runReads(options, bench), stopped]);
    if (options.retention) await Promise.race([runRetention(options, bench), stopped]);
    if (options.pages) await Promise.race([runPages(options, bench), stopped]);
  } finally {
    receiver.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function runDeliveries(options: BenchOptions, bench: Bench, receiver: Receiver): Promise<void> {
  const engines = await present(options.engines);
  const { runs, failures } = await runRounds({ ...options, engines }, bench, receiver);
  const rows = summarise(runs);
  const thresholds = checkThresholds(rows);
  console.log(`\nMedians of ${options.rounds} rounds (lowest–highest)\n\n${table(rows)}\n`);
  if (failures.length > 0) console.log(`${failureLines(failures)}\n`);
  if (bench.profiles) console.log(`${await profileLines(bench.profiles)}\n`);
  for (const { name, settings, claimLead, leavesOut } of engines) {
    console.log(`${name}: ${settings}; claim lead: ${claimLead}`);
    if (leavesOut !== null) console.log(`  leaves out: ${leavesOut}`);
  }
  console.log(`\n${thresholdLines(thresholds)}`);
  await writeResults(options, engines, { thresholds, rows, runs, failures });
}

async function runWrites({ rounds, seconds, results }: BenchOptions, bench: Bench): Promise<void> {
  const measured = await measureWrites(bench, { rounds, seconds }, (round) => console.log(writeLine(round)));
  const thresholds = checkWrites(measured);
  console.log(`\n${thresholdLines(thresholds)}`);
  await writePart(results, "writes", { options: { rounds, seconds }, thresholds, rounds: measured });
}

async function runCosts({ rounds, seconds, results }: BenchOptions, bench: Bench & { cluster: string }): Promise<void> {
  const measured: Cost[][] = [];
  for (let n = 0; n < rounds; n++)
    measured.push(await measureCosts(bench, { seconds }, (cost) => console.log(costLine(cost))));
  await writePart(results, "costs", { options: { rounds, seconds }, thresholds: [], rounds: measured });
}

async function runListening({ rounds, seconds, results }: BenchOptions, bench: Bench): Promise<void> {
  const measured = await measureListening(bench, { rounds, seconds }, (round) => console.log(listeningLine(round)));
  await writePart(results, "listening", { options: { rounds, seconds }, thresholds: [], rounds: measured });
}

async function runReads({ quick, results }: BenchOptions, bench: Bench): Promise<void> {
  const { url, drop } = await bench.createDatabase();
  const sizes = await prepareReads(url, { quick });
  console.log(`${JSON.stringify(sizes)}\n`);
  const reads = await measureReads(url, (figures) => console.log(readLine(figures)));
  const thresholds = checkReads(reads);
  console.log(`\n${thresholdLines(thresholds)}`);
  await writePart(results, "reads", { options: sizes, thresholds, rounds: reads });
  await drop();
}

async function runRetention({ quick, results }: BenchOptions, bench: Bench): Promise<void> {
  const measured = await measureFirstBatches(bench, { quick }, (one) => console.log(firstBatchLine(one)));
  const thresholds = checkFirstBatches(measured);
  console.log(`\n${thresholdLines(thresholds)}`);
  await writePart(results, "retention", { options: { quick }, thresholds, rounds: measured });
}

async function runPages({ quick, results }: BenchOptions, bench: Bench): Promise<void> {
  const { url, drop } = await bench.createDatabase();
  const measured = await measurePages(url, { quick }, (figures) => console.log(pageLine(figures)));
  const { schedules, attempts, pages, creates } = measured;
  const { aloneP95Ms, besideP95Ms } = creates;
  console.log(`creates of another account: p95 ${aloneP95Ms.toFixed(1)} ms alone, ${besideP95Ms.toFixed(1)} ms beside`);
  const thresholds = checkPages(measured);
  console.log(`\n${thresholdLines(thresholds)}`);
  await writePart(results, "pages", { options: { schedules, attempts, creates }, thresholds, rounds: pages });
  await drop();
}

/** Runs all rounds. What goes wrong with another engine costs its round, and not the whole run. */
async function runRounds(
  options: BenchOptions,
  bench: Bench,
  receiver: Receiver,
): Promise<{ runs: Run[]; failures: Failure[] }> {
  const runner = createRunner({ bench, receiver });
  /** The stores with a backlog. They are kept over the rounds. */
  const kept = new Map<string, OpenEngine>();
  const runs: Run[] = [];
  const failures: Failure[] = [];

  const openFor = async (scenario: Scenario, engine: Engine): Promise<OpenEngine> => {
    if (scenario.backlog === 0) {
      const open = await engine.open(bench);
      if (scenario.expired) await open.addExpired?.(scenario.expired);
      return open;
    }
    const open = kept.get(engine.name) ?? (await engine.open(bench));
    if (!kept.has(engine.name)) await open.addBacklog(scenario.backlog);
    kept.set(engine.name, open);
    return open;
  };
  /** `onMeasured` gets the figures before the engine is closed, which may fail. */
  const runOnce = async (scenario: Scenario, engine: Engine, onMeasured: (figures: Figures) => void) => {
    const open = await openFor(scenario, engine);
    let figures: Figures | null = null;
    const held = scenario.holdsSnapshot ? await holdSnapshots(bench.serverUrl) : null;
    try {
      figures = await runner.run(scenario, engine, open, onMeasured);
      return figures;
    } finally {
      await held?.end();
      // A store whose jobs were stored too late still holds those jobs.
      if (figures === null || scenario.backlog === 0) {
        kept.delete(engine.name);
        await open.close();
      }
    }
  };
  /** As `runOnce`, but what is wrong with another engine is noted, and null is returned. */
  const tryOnce = async (scenario: Scenario, engine: Engine, round: number): Promise<Figures | null> => {
    let figures: Figures | null = null;
    const keep = (found: Figures) => {
      figures = found;
    };
    try {
      // When the jobs were not stored in time, the run is repeated once; the time that storing takes is known by then.
      if (!(await runOnce(scenario, engine, keep)) && !(await runOnce(scenario, engine, keep)))
        throw new Error("its jobs could not be stored in time");
    } catch (error) {
      if (!isOther(engine)) throw new Error(`${engine.name}, ${scenario.name}`, { cause: error });
      failures.push({ scenario: scenario.name, engine: engine.name, round, isLost: figures === null, error });
      console.log(failureLines(failures.slice(-1)));
    }
    return figures;
  };

  for (let round = 1; round <= options.rounds; round++) {
    for (const name of options.scenarios) {
      const scenario = makeScenario(name, { ...options, seed: options.seed + round });
      for (const engine of options.engines) {
        if (!runsOn(scenario, engine)) continue;
        const figures = await tryOnce(scenario, engine, round);
        if (!figures) continue;
        runs.push({ scenario: name, engine: engine.name, round, figures });
        console.log(line(runs, round));
      }
    }
  }
  for (const [name, open] of kept) {
    await open.close().catch((error) => {
      if (!isOther({ name })) throw error;
    });
  }
  return { runs, failures };
}

/** Holds a snapshot of each database of the server until `end`. */
async function holdSnapshots(serverUrl: string): Promise<{ end(): Promise<void> }> {
  const server = postgres(serverUrl, { max: 1, onnotice: () => {} });
  const databases = await server`SELECT datname FROM pg_database WHERE NOT datistemplate AND datallowconn`;
  await server.end();
  const sessions = databases.map(({ datname }) =>
    postgres(serverUrl, { max: 1, database: datname, onnotice: () => {}, connection: HELD_TRANSACTIONS }),
  );
  for (const session of sessions) {
    await session`BEGIN ISOLATION LEVEL REPEATABLE READ`;
    await session`SELECT FROM pg_class LIMIT 1`;
  }
  return {
    async end() {
      await Promise.all(sessions.map((session) => session.end({ timeout: 0 })));
    },
  };
}

function runsOn(scenario: Scenario, engine: Engine): boolean {
  if (scenario.runsOn === "stopwatch") return engine === stopwatch;
  return engine.stores || scenario.runsOn === "all";
}

/** The last run on a line of its own. The first run has the column heads above it. */
function line(runs: readonly Run[], round: number): string {
  const [head, row] = table(summarise(runs.slice(-1)), LINE_WIDTHS).split("\n");
  return `${runs.length === 1 ? `   ${head}\n` : ""}${String(round).padEnd(3)}${row}`;
}
const LINE_WIDTHS = [15, 21, ...Array<number>(14).fill(8)];

async function present(engines: readonly Engine[]): Promise<Engine[]> {
  const found: Engine[] = [];
  for (const engine of engines) {
    const reason = await engine.absent?.();
    if (reason) console.log(`${engine.name} is left out: ${reason}`);
    else found.push(engine);
  }
  return found;
}

function createDatabaseMaker(serverUrl: string): Bench["createDatabase"] {
  let made = 0;
  const asOwner = async (statement: string) => {
    const sql = postgres(serverUrl, { max: 1, database: "postgres", onnotice: () => {} });
    try {
      await sql.unsafe(statement);
    } finally {
      await sql.end({ timeout: 2 });
    }
  };
  return async () => {
    const name = `bench_${++made}`;
    await asOwner(`CREATE DATABASE ${name}`);
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    return { url: url.href, drop: () => asOwner(`DROP DATABASE ${name} WITH (FORCE)`) };
  };
}
