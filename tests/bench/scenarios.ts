/** One request that an engine is to deliver. `offsetMs` counts from the instant at which a run begins. */
export type PlannedJob = { n: number; account: number; offsetMs: number; hangs: boolean };

export type Scenario = {
  name: ScenarioName;
  /** What it shows, for the table. */
  title: string;
  /** In order of their instants; numbered from 0, the hanging ones last. */
  jobs: PlannedJob[];
  /** How many of the jobs are answered. */
  answered: number;
  /** Created this long before its instant, each by itself; null: all are stored before the run begins. */
  createAheadMs: number | null;
  workers: number;
  /** UTF-8 bytes of each request's body. */
  payloadBytes: number;
  /** Rows for much later that lie in the store meanwhile. */
  backlog: number;
  /** Measures how many go through in `seconds` instead of how late each is; the jobs then depend on the engine. */
  saturates: boolean;
  /** All instants lie within so many seconds. */
  seconds: number;
  /** Some need a store, or are about this service alone. */
  runsOn: "all" | "stores" | "stopwatch";
};

export const SCENARIO_NAMES = [
  "steady300",
  "steady1000",
  "burst5000",
  "just-in-time",
  "backlog",
  "hanging",
  "two-dispatchers",
  "large-payloads",
  "saturation",
] as const;

export type ScenarioName = (typeof SCENARIO_NAMES)[number];

export const ACCOUNTS = 100;

export type ScenarioOptions = {
  seed: number;
  /** How long the steady ones last; saturation and large payloads last three times as long. */
  seconds: number;
  backlog: number;
};

/** The scenario of this name; the same seed gives the same instants and accounts. */
export function makeScenario(name: ScenarioName, options: ScenarioOptions): Scenario {
  const { backlog, seconds } = options;
  const random = seededRandom(options.seed);
  const steady = (perSecond: number) => spread(random, perSecond * seconds, seconds);
  const usual = {
    name,
    createAheadMs: null,
    workers: 1,
    backlog: 0,
    saturates: false,
    payloadBytes: 1_024,
    seconds,
    runsOn: "all" as const,
  };
  const of = (title: string, jobs: PlannedJob[], rest: Partial<Scenario> = {}): Scenario => ({
    ...usual,
    title,
    jobs,
    answered: jobs.filter((job) => !job.hangs).length,
    ...rest,
  });
  switch (name) {
    case "steady300":
      return of("300 a second at random milliseconds", steady(300));
    case "steady1000":
      return of("1,000 a second at random milliseconds", steady(1_000));
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
      return of(
        "300 a second, beside 20 a second of one account to a target that never answers",
        withHanging(random, steady(300), 20, seconds),
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
      return of("as many as go through", [], { saturates: true, seconds: 3 * seconds });
  }
}

/** What every new process delivers before it is measured, so that its code is compiled: 1,000 a second for two seconds. */
export function warmUpJobs(): PlannedJob[] {
  return spread(seededRandom(0), 2_000, 2);
}

/** `count` jobs that are all due at once, over all accounts. */
export function burst(random: () => number, count: number): PlannedJob[] {
  return Array.from({ length: count }, (_, n) => ({ n, account: pick(random, ACCOUNTS), offsetMs: 0, hangs: false }));
}

/** Numbers from 0 (inclusive) to 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function spread(random: () => number, count: number, seconds: number): PlannedJob[] {
  const offsets = Array.from({ length: count }, () => pick(random, seconds * 1_000)).sort((a, b) => a - b);
  return offsets.map((offsetMs, n) => ({ n, account: pick(random, ACCOUNTS), offsetMs, hangs: false }));
}

function withHanging(random: () => number, healthy: PlannedJob[], perSecond: number, seconds: number): PlannedJob[] {
  const hanging = spread(random, perSecond * seconds, seconds);
  return [...healthy, ...hanging.map((job) => ({ ...job, n: healthy.length + job.n, account: 0, hangs: true }))];
}

const pick = (random: () => number, below: number) => Math.floor(random() * below);
