import { cpus } from "node:os";
import { pause } from "../helpers/time.ts";
import type { Bench, Engine, Job, OpenEngine } from "./engine.ts";
import { manyOrigin } from "./many-origins.ts";
import { type Figures, lateness, latenessOfOthers } from "./measure.ts";
import type { Receiver } from "./receiver.ts";
import { type PlannedJob, type Scenario, type Target, warmUpJobs } from "./scenarios.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** Everything is stored this long before the first instant, since an engine may read ahead, ms. */
const QUIET_MS = 4_500;
/** A run does not count when its last job was stored later than this before the first instant. */
const STORED_AHEAD_MS = 1_000;
/** CPU time is measured from this long before the first instant, since the dispatcher reads four seconds ahead. */
const CPU_AHEAD_MS = 4_000;
const WARM_UP_BYTES = 1_024;
const WARM_UP_QUIET_MS = 1_500;
const WARM_UP_TIMEOUT_MS = 30_000;
/** A first estimate of the time to store one job: a fixed part, and a part for each KiB of its body. */
const ROW_MS = 0.5;
const ROW_KIB_MS = 0.05;
const OVERDUE_ROW_MS = 0.1;
const OUTCOMES_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 5;
const EMPTY_BODY_BYTES = '{"filler":""}'.length;

/** Runs scenarios and measures them. Each run has processes of its own, which are stopped at its end. */
export function createRunner({ bench, receiver }: { bench: Bench; receiver: Receiver }) {
  /** The measured time to store one job, by engine and size, ms. */
  const rowMs = new Map<string, number>();
  let overdueRowMs = OVERDUE_ROW_MS;
  const sizeOf = (engine: Engine, payloadBytes: number) => `${engine.name} ${payloadBytes}`;

  const storeMsOf = (engine: Engine, payloadBytes: number, rows: number) =>
    rows * (rowMs.get(sizeOf(engine, payloadBytes)) ?? ROW_MS + (ROW_KIB_MS * payloadBytes) / 1_024);

  /** Gives the jobs their instants, the first at `beginMs`, and their bodies. */
  const place = (planned: PlannedJob[], beginMs: number, payloadBytes: number): Job[] => {
    const body = JSON.stringify({ filler: "x".repeat(payloadBytes - EMPTY_BODY_BYTES) });
    return planned.map(({ n, account, offsetMs, target }) => ({
      n,
      account,
      dueAtMs: beginMs + offsetMs,
      url: urlOf[target](n),
      body,
    }));
  };

  const urlOf: Record<Target, (n: number) => string> = {
    well: (n) => `${bench.origin}/d/${n}`,
    hanging: (n) => `${bench.hangingOrigin}/h/${n}`,
    "hanging-path": (n) => `${bench.origin}/h/${n}`,
    slow: (n) => `${bench.slowOrigin}/s/${n}`,
    many: (n) => `${manyOrigin(n, bench.manyPorts)}/d/${n}`,
  };

  const store = async (engine: Engine, payloadBytes: number, jobs: Job[], open: OpenEngine, closedLoop = false) => {
    const startedAt = Date.now();
    await open.enqueue(jobs, closedLoop);
    rowMs.set(sizeOf(engine, payloadBytes), Math.max(0.01, ((Date.now() - startedAt) / jobs.length) * 1.3));
  };

  /** The same for jobs that are overdue when the run begins. */
  const storeOverdue = async (engine: Engine, payloadBytes: number, jobs: Job[], open: OpenEngine) => {
    if (!open.enqueueOverdue) return store(engine, payloadBytes, jobs, open);
    const startedAt = Date.now();
    await open.enqueueOverdue(jobs);
    overdueRowMs = ((Date.now() - startedAt) / jobs.length) * 1.3;
  };

  const storeOverdueMs = (engine: Engine, payloadBytes: number, rows: number, open: OpenEngine) =>
    open.enqueueOverdue ? rows * overdueRowMs : storeMsOf(engine, payloadBytes, rows);

  const warmUp = async (engine: Engine, open: OpenEngine) => {
    const planned = warmUpJobs();
    const before = await open.finished();
    await receiver.expect(planned.length, planned.length);
    const beginMs = Math.ceil(Date.now() + WARM_UP_QUIET_MS + storeMsOf(engine, WARM_UP_BYTES, planned.length));
    await store(engine, WARM_UP_BYTES, place(planned, beginMs, WARM_UP_BYTES), open);
    const untilMs = beginMs + WARM_UP_TIMEOUT_MS;
    if (!(await receiver.complete(untilMs - Date.now()))) throw new Error(`${engine.name} did not deliver its warm-up`);
    while (engine.stores && (await open.finished()) - before < planned.length) await pause(LOOK_EVERY_MS);
  };

  /** How many jobs were delivered, and committed where there is a store, and when that was known. */
  const awaitOutcomes = async (finished: () => Promise<number>, answered: number, untilMs: number) => {
    const complete = await receiver.complete(untilMs - Date.now());
    for (;;) {
      const atMs = Date.now();
      const delivered = await finished();
      if (delivered >= answered || !complete || atMs > untilMs + OUTCOMES_TIMEOUT_MS) return { delivered, atMs };
      await pause(LOOK_EVERY_MS);
    }
  };

  const measure = async (scenario: Scenario, engine: Engine, open: OpenEngine, workers: WorkerProcess[]) => {
    const { jobs: planned, answered, control } = scenario;
    const cpuMs = () => workers.reduce((sum, worker) => sum + worker.cpuMs(), 0);
    await warmUp(engine, open);
    const before = await open.finished();
    const finished = async () => (engine.stores ? (await open.finished()) - before : receiver.count());
    await receiver.expect(planned.length, answered);
    const { createAheadMs: along, payloadBytes, seconds, saturates, restDelivers } = scenario;
    // Where the rest is delivered, it consists of overdue jobs.
    const timely = restDelivers ? answered : planned.length;
    const overdueMs = storeOverdueMs(engine, payloadBytes, planned.length - timely, open);
    const storeMs = along === null ? storeMsOf(engine, payloadBytes, timely) + overdueMs : 0;
    const beginMs = Math.ceil(Date.now() + QUIET_MS + storeMs);
    const jobs = place(planned, beginMs, payloadBytes);
    if (planned.length > timely) await storeOverdue(engine, payloadBytes, jobs.slice(timely), open);
    if (along === null) await store(engine, payloadBytes, jobs.slice(0, timely), open, saturates);
    if (Date.now() > beginMs - STORED_AHEAD_MS) return null;
    await pause(beginMs - CPU_AHEAD_MS - Date.now());
    const cpuBeforeMs = cpuMs();
    const machine = idleShareFrom(beginMs);
    const expired = scenario.expired && open.takenByRetention ? expiredFrom(beginMs, open.takenByRetention) : null;
    if (along !== null) await createAlong(jobs, along, open);
    const untilMs = beginMs + seconds * 1_000 + (saturates ? 0 : OUTCOMES_TIMEOUT_MS);
    const outcomes = await awaitOutcomes(restDelivers ? receiver.count : finished, answered, untilMs);
    const usedMs = cpuMs() - cpuBeforeMs;
    const idleShare = machine();
    const expiredPerSecond = expired && (await expired());
    // Read only now: from the first read on, the dispatcher measures its event loop, which costs CPU.
    const counters = await open.counters?.();
    const arrivals = await receiver.collect();
    const figures = lateness(jobs, { control, answered }, arrivals);
    const { atMs } = outcomes;
    // Where the rest is delivered, nobody can tell which jobs were committed.
    const delivered = restDelivers ? arrivals.arrivals.filter((at) => at <= atMs).length : outcomes.delivered;
    return {
      ...figures,
      // Jobs that are overdue from the start are late by design, and not all of them arrive during the run.
      ...(saturates ? { p50: null, p95: null, p99: null, max: null, lost: 0 } : {}),
      duplicates: arrivals.duplicates,
      unrecorded: restDelivers ? null : saturates ? 0 : Math.max(answered - figures.lost - delivered, 0),
      lastArrival: arrivals.lastAtMs === null ? null : arrivals.lastAtMs - beginMs,
      committed: engine.stores && !restDelivers ? atMs - beginMs : null,
      perSecond: delivered / ((atMs - beginMs) / 1_000),
      cpuUsPerDelivery: delivered === 0 ? null : (usedMs * 1_000) / delivered,
      peakRssMb: Math.max(...workers.map((worker) => worker.peakRssMb())),
      idleShare,
      rowsRead: counters?.rowsRead ?? null,
      released: counters?.released ?? null,
      expiredPerSecond,
      ...latenessOfOthers(jobs, control, arrivals, beginMs),
    };
  };

  return {
    /**
     * One run of `scenario` on `engine`, whose store is `open`. Returns null when its jobs could not be stored in time.
     * `onMeasured` gets the figures before the processes are stopped, which may fail.
     */
    async run(
      scenario: Scenario,
      engine: Engine,
      open: OpenEngine,
      onMeasured: (figures: Figures) => void = () => {},
    ): Promise<Figures | null> {
      const hasManyOrigins = scenario.jobs.some((job) => job.target === "many");
      const workers = await open.start(scenario.workers, hasManyOrigins ? scenario.jobs.length : 0);
      try {
        const measuring = measure(scenario, engine, open, workers);
        const figures = await Promise.race([measuring, ...workers.map((worker) => worker.lost)]);
        if (figures) onMeasured(figures);
        return figures;
      } finally {
        await Promise.all(workers.map((worker) => worker.stop()));
      }
    },
  };
}

/** Stores each job by itself, `aheadMs` before its instant. */
async function createAlong(jobs: Job[], aheadMs: number, open: OpenEngine) {
  const storing: Promise<void>[] = [];
  for (const job of jobs) {
    const createAtMs = job.dueAtMs - aheadMs;
    if (createAtMs > Date.now()) await pause(createAtMs - Date.now());
    storing.push(open.enqueue([job]));
  }
  await Promise.all(storing);
}

/** Returns a function for how many rows a second retention took from `beginMs` (epoch) until its call. */
function expiredFrom(beginMs: number, read: () => Promise<number>): () => Promise<number> {
  const before = pause(Math.max(beginMs - Date.now(), 0)).then(async () => ({ rows: await read(), atMs: Date.now() }));
  return async () => {
    const [first, rows] = [await before, await read()];
    return (rows - first.rows) / ((Date.now() - first.atMs) / 1_000);
  };
}

/** Returns a function for the part of the machine's CPU time that was idle from `beginMs` (epoch) until its call. */
function idleShareFrom(beginMs: number): () => number {
  let before = readCpuTimes();
  const timer = setTimeout(
    () => {
      before = readCpuTimes();
    },
    Math.max(beginMs - Date.now(), 0),
  );
  return () => {
    clearTimeout(timer);
    const after = readCpuTimes();
    return (after.idle - before.idle) / Math.max(after.all - before.all, 1);
  };
}

function readCpuTimes(): { idle: number; all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (of: (time: (typeof times)[number]) => number) => times.reduce((all, time) => all + of(time), 0);
  return {
    idle: sum(({ idle }) => idle),
    all: sum(({ idle, irq, nice, sys, user }) => idle + irq + nice + sys + user),
  };
}
