import { type BenchOptions, runBench } from "../../tests/bench/bench.ts";
import { ENGINE_NAMES, isPeer, loadEngines } from "../../tests/bench/load-engines.ts";
import { SCENARIO_NAMES } from "../../tests/bench/scenarios.ts";
import { command, UsageError } from "../command.ts";
import { installPackage } from "../packages/install-package.ts";
import { listenForStop, Stopped } from "../stop-signal.ts";

const LINGERS_MS = 2_000;

const PARTS = [...SCENARIO_NAMES, "writes", "costs", "listening", "reads", "pages", "retention"] as const;

type Options = {
  rounds?: string;
  only?: string;
  engines?: string;
  seconds?: string;
  overdue?: string;
  quick: boolean;
  profile: boolean;
  seed: string;
  results: string;
};

await command<Options>({
  usage: `Usage: npm run bench -- [--rounds N] [--only scenario,…] [--engines name,…] [--seconds N] [--overdue N]
                         [--quick] [--profile] [--seed N] [--results R]

Measures the dispatcher beside its own baseline and beside other job engines, the cost of creating over HTTP (writes), what
single operations cost PostgreSQL (costs), how much later deliveries come through a listener (listening), and
lists and figures over ten million attempts (reads), every page of an account with a million schedules (pages), and the
first batch of retention on millions of expired rows (retention), all in one run on one Postgres, and writes a file of tests/bench/results. See tests/bench/README.md for what the numbers are.
Installs the other job engines first ("npm ci --prefix tests/bench") when they are missing.

  --rounds N    interleaved rounds, 5 (1 with --quick)
  --only        ${PARTS.join(", ")}
  --engines     ${ENGINE_NAMES.join(", ")}
  --seconds N   length of the steady scenarios, 20 (5 with --quick); saturation takes three times as long
  --overdue N   overdue rows in neighbour-backlog, 200000 (20000 with --quick)
  --quick       one short round with a tenth of the backlogs and a twentieth of the attempts
  --profile     has Stopwatch's dispatchers write CPU profiles, and prints where their time went; they are slower with it
  --seed N      decides the instants and accounts of the jobs, 1
  --results R   writes tests/bench/results/R.json, latest`,
  options: {
    rounds: { type: "string" },
    only: { type: "string" },
    engines: { type: "string" },
    seconds: { type: "string" },
    overdue: { type: "string" },
    quick: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    results: { type: "string", default: "latest" },
  },
  async run({ rounds, only, engines, seconds, overdue, quick, profile, seed, results }) {
    if (!/^[a-z][a-z0-9-]*$/.test(results))
      throw new UsageError("--results needs a name of small letters, digits and hyphens.");
    const parts = chosen("--only", only, PARTS);
    const names = chosen("--engines", engines, ENGINE_NAMES);
    const scenarios = SCENARIO_NAMES.filter((name) => parts.includes(name));
    const options: Omit<BenchOptions, "engines"> = {
      rounds: whole("--rounds", rounds ?? (quick ? "1" : "5")),
      scenarios,
      writes: parts.includes("writes"),
      costs: parts.includes("costs"),
      listening: parts.includes("listening"),
      reads: parts.includes("reads"),
      pages: parts.includes("pages"),
      retention: parts.includes("retention"),
      quick,
      profile,
      seconds: whole("--seconds", seconds ?? (quick ? "5" : "20")),
      backlog: quick ? 100_000 : 1_000_000,
      overdue: whole("--overdue", overdue ?? (quick ? "20000" : "200000")),
      seed: whole("--seed", seed),
      results,
    };
    if (scenarios.length > 0 && names.some(isPeer)) {
      const advice = 'The bench runs without them as "npm run bench -- --engines baseline,stopwatch".';
      await installPackage("tests/bench", "the engines to compare with", advice);
    }
    const signal = listenForStop(() => process.exit(130));
    try {
      await runBench({ ...options, engines: scenarios.length > 0 ? await loadEngines(names) : [] }, signal);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      process.exit(130);
    } finally {
      // A library that still tries to reach its store must not keep this process alive.
      setTimeout(() => process.exit(), LINGERS_MS).unref();
    }
    return 0;
  },
});

function whole(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${option} needs a whole number from 1.`);
  return Number(text);
}

function chosen<Name extends string>(option: string, text: string | undefined, all: readonly Name[]): Name[] {
  if (text === undefined) return [...all];
  return text.split(",").map((name) => {
    const found = all.find((one) => one === name);
    if (found === undefined) throw new UsageError(`${option}: there is no '${name}', only ${all.join(", ")}.`);
    return found;
  });
}
