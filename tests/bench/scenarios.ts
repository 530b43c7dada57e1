import { createRandom } from "../helpers/random.ts";
import type { Expired } from "./expired-rows.ts";

/**
 * The target of a job: a path that answers at once (`well`), another origin that never answers (`hanging`), a path of
 * the first origin that never answers (`hanging-path`), an origin that answers after 500 ms (`slow`), or one of
 * thousands of origins, chosen by the job's number (`many`).
 */
export type Target = "well" | "hanging" | "hanging-path" | "slow" | "many";

/**
 * One request that an engine delivers. `offsetMs` counts from the instant at which a run begins. A job with a negative
 * one is overdue by then.
 */
export type PlannedJob = { n: number; account: number; offsetMs: number; target: Target };

export type Scenario = {
  name: ScenarioName;
  /** What the scenario shows, for the table. */
  title: string;
  /**
   * Numbered from 0: first the control group's jobs in the order of their instants, then the others that the run waits
   * for, then the rest.
   */
  jobs: PlannedJob[];
  /** Number of jobs in the control group, whose lateness is measured. */
  control: number;
  /** Number of jobs that the run waits for. */
  answered: number;
  /** Whether the rest is delivered, too, as far as there is time. */
  restDelivers: boolean;
  /** Each job is created by itself this long before its instant; null when all are stored before the run begins. */
  createAheadMs: number | null;
  workers: number;
  /** UTF-8 bytes of each request's body. */
  payloadBytes: number;
  /** Rows in the store that are due much later. */
  backlog: number;
  /** Expired rows in the store that retention takes meanwhile, and what it does with them. */
  expired: { rows: number; expired: Expired } | null;
  /** Measures how many jobs are delivered in `seconds` and not how late each is. */
  saturates: boolean;
  /** Whether a session holds a snapshot of the store from before the run until its end. */
  holdsSnapshot: boolean;
  /** All instants lie within this many seconds. */
  seconds: number;
  /** The engines it runs on: all, those with a store, or Stopwatch alone. */
  runsOn: "all" | "stores" | "stopwatch";
};

export const SCENARIO_NAMES = [
  "steady300",
  "steady1000",
  "steady3000",
  "burst5000",
  "just-in-time",
  "backlog",
  "hanging",
  "two-dispatchers",
  "large-payloads",
  "saturation",
  "saturation-two",
  "saturation-four",
  "neighbour-backlog",
  "neighbour-crowd",
  "neighbour-hangs",
  "slow-target",
  "many-origins",
  "retention-erase",
  "retention-delete",
  "held-snapshot",
] as const;

export type ScenarioName = (typeof SCENARIO_NAMES)[number];

export const ACCOUNTS = 100;
/** Accounts of the neighbours in some scenarios. */
export const NEIGHBOURS = 50;

/** Jobs that each engine is given in `saturation`, per second: more than any with a store has delivered. */
const SATURATION_PER_SECOND = 10_000;
/** Requests per second of the control group beside its neighbours. */
const CONTROL_PER_SECOND = 100;
const OVERDUE_MS = 1_000;
/** The accounts of `neighbour-crowd`, with one row each. Their numbers follow those of the neighbours. */
export const CROWD = 40_000;
const HANGING_PATH_JOBS = 400;
const SLOW_PER_SECOND = 250;
const ORIGINS_PER_SECOND = 500;
/** Expired rows that retention takes in a second at most. They have to last from the start of the process on. */
const EXPIRED_PER_SECOND = 8_000;
const PREPARED_SECONDS = 20;

export type ScenarioOptions = {
  seed: number;
  /** Duration of the steady scenarios. Saturation and large payloads take three times as long. */
  seconds: number;
  backlog: number;
  /** Rows that are overdue in `neighbour-backlog`. */
  overdue: number;
};

/** The scenario with this name. The same seed gives the same instants and accounts. */
export function makeScenario(name: ScenarioName, options: ScenarioOptions): Scenario {
  const { backlog, overdue, seconds } = options;
  const random = createRandom(options.seed).next;
  const steady = (perSecond: number) => spread(random, perSecond * seconds, seconds);
  const usual = {
    name,
    createAheadMs: null,
    workers: 1,
    backlog: 0,
    expired: null,
    saturates: false,
    holdsSnapshot: false,
    restDelivers: false,
    payloadBytes: 1_024,
    seconds,
    runsOn: "all" as const,
  };
  const of = (title: string, jobs: PlannedJob[], rest: Partial<Scenario> = {}): Scenario => ({
    ...usual,
    title,
    jobs,
    control: jobs.length,
    answered: jobs.length,
    ...rest,
  });
  /** The jobs of the control group and of its neighbours. The run waits for the neighbours' when `awaited`. */
  const beside = (title: string, [control, others]: PlannedJob[][], awaited: boolean, rest: Partial<Scenario>) => {
    const jobs = numbered(control ?? [], others ?? []);
    const count = control?.length ?? 0;
    return of(title, jobs, { control: count, answered: awaited ? jobs.length : count, ...rest });
  };
  const control = () => steady(CONTROL_PER_SECOND);
  const saturation = (rest: Partial<Scenario> = {}) =>
    of(
      `as many as go through of ${SATURATION_PER_SECOND.toLocaleString("en")} a second`,
      burst(random, SATURATION_PER_SECOND * 3 * seconds),
      { saturates: true, seconds: 3 * seconds, ...rest },
    );
  switch (name) {
    case "steady300":
      return of("300 a second at random milliseconds", steady(300));
    case "steady1000":
      return of("1,000 a second at random milliseconds", steady(1_000));
    case "steady3000":
      return of("3,000 a second at random milliseconds", steady(3_000));
    case "burst5000":
      return of("5,000 due at one instant", burst(random, 5_000));
    case "just-in-time":
      return of("100 a second, each created 1 s ahead", steady(100), { createAheadMs: 1_000 });
    case "backlog":
      return of(`300 a second with ${backlog.toLocaleString("en")} rows for later`, steady(300), {
        backlog,
        runsOn: "stores",
      });
    case "hanging":
      return beside(
        "300 a second, beside 20 a second of one account to a target that never answers",
        [steady(300), toTarget("hanging", 0, steady(20))],
        false,
        { runsOn: "stores" },
      );
    case "two-dispatchers":
      return of("1,000 a second, two processes", steady(1_000), { workers: 2, runsOn: "stores" });
    case "large-payloads":
      return of("64 KiB each, 333 a second", spread(random, 1_000 * seconds, 3 * seconds), {
        payloadBytes: 65_536,
        seconds: 3 * seconds,
        runsOn: "stopwatch",
      });
    case "saturation":
      return saturation();
    case "saturation-two":
      return saturation({ workers: 2, runsOn: "stopwatch" });
    case "saturation-four":
      return saturation({ workers: 4, runsOn: "stopwatch" });
    case "neighbour-backlog":
      return beside(
        `100 a second, beside ${overdue.toLocaleString("en")} overdue rows of ${NEIGHBOURS} other accounts`,
        [control(), overdueJobs(random, overdue)],
        false,
        { restDelivers: true, runsOn: "stores" },
      );
    case "neighbour-crowd":
      return beside(
        `100 a second, beside ${CROWD.toLocaleString("en")} other accounts with one row each, due at one instant`,
        [control(), crowdJobs((seconds * 1_000) / 5)],
        false,
        { restDelivers: true, runsOn: "stopwatch" },
      );
    case "neighbour-hangs":
      return beside(
        `100 a second, beside ${HANGING_PATH_JOBS} of another account to a path of the same origin that never answers`,
        [control(), toTarget("hanging-path", ACCOUNTS, spread(random, HANGING_PATH_JOBS, Math.min(seconds, 2)))],
        false,
        { runsOn: "stores" },
      );
    case "slow-target":
      return beside(
        `100 a second, beside ${SLOW_PER_SECOND} a second of another account to a target that answers in 500 ms`,
        [control(), toTarget("slow", ACCOUNTS, steady(SLOW_PER_SECOND))],
        true,
        { runsOn: "stores" },
      );
    case "many-origins":
      return beside(
        `100 a second, beside ${ORIGINS_PER_SECOND} a second of ${NEIGHBOURS} other accounts, each to another origin`,
        [
          control(),
          steady(ORIGINS_PER_SECOND).map((job) => ({ ...job, ...neighbour(random), target: "many" as const })),
        ],
        true,
        { runsOn: "stopwatch" },
      );
    case "retention-erase":
      return of("300 a second, while retention erases payloads", steady(300), {
        expired: { expired: "erase", rows: EXPIRED_PER_SECOND * (PREPARED_SECONDS + seconds) },
        runsOn: "stopwatch",
      });
    case "retention-delete":
      return of("300 a second, while retention deletes schedules", steady(300), {
        expired: { expired: "delete", rows: EXPIRED_PER_SECOND * (PREPARED_SECONDS + seconds) },
        runsOn: "stopwatch",
      });
    case "held-snapshot":
      return of("1,000 a second, while a session holds a snapshot", spread(random, 3_000 * seconds, 3 * seconds), {
        holdsSnapshot: true,
        seconds: 3 * seconds,
        runsOn: "stores",
      });
  }
}

/**
 * What every new process delivers before it is measured, so that its code is compiled: 1,000 jobs a second for two
 * seconds.
 */
export function warmUpJobs(): PlannedJob[] {
  return spread(createRandom(0).next, 2_000, 2);
}

/** `count` jobs that are all due at once, spread over all accounts. */
export function burst(random: () => number, count: number): PlannedJob[] {
  return Array.from({ length: count }, (_, n) => ({ n, account: pick(random, ACCOUNTS), offsetMs: 0, target: "well" }));
}

function spread(random: () => number, count: number, seconds: number): PlannedJob[] {
  const offsets = Array.from({ length: count }, () => pick(random, seconds * 1_000)).sort((a, b) => a - b);
  return offsets.map((offsetMs, n) => ({ n, account: pick(random, ACCOUNTS), offsetMs, target: "well" }));
}

function numbered(control: PlannedJob[], others: PlannedJob[]): PlannedJob[] {
  return [...control, ...others.map((job) => ({ ...job, n: control.length + job.n }))];
}

const toTarget = (target: Target, account: number, jobs: PlannedJob[]): PlannedJob[] =>
  jobs.map((job) => ({ ...job, account, target }));

/** Due in the last second before the run begins. They are stored by then, and overdue from the first instant on. */
function overdueJobs(random: () => number, count: number): PlannedJob[] {
  const offsets = Array.from({ length: count }, () => pick(random, OVERDUE_MS) - OVERDUE_MS).sort((a, b) => a - b);
  return offsets.map((offsetMs, n) => ({ n, ...neighbour(random), offsetMs, target: "well" }));
}

const crowdJobs = (offsetMs: number): PlannedJob[] =>
  Array.from({ length: CROWD }, (_, n) => ({ n, account: ACCOUNTS + NEIGHBOURS + n, offsetMs, target: "well" }));

const neighbour = (random: () => number) => ({ account: ACCOUNTS + pick(random, NEIGHBOURS) });

const pick = (random: () => number, below: number) => Math.floor(random() * below);
