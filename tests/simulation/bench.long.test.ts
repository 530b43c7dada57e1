// Guards: dispatcher/intake/**, dispatcher/admission/**, dispatcher/claiming/**, dispatcher/sending/**, dispatcher/recording/**, dispatcher/runtime/**, tests/simulation/**
import { expect, it } from "vitest";
import { ACCOUNTS, makeScenario, type PlannedJob, type ScenarioName, warmUpJobs } from "../bench/scenarios.ts";
import { type Member, Simulation } from "./fleet.ts";
import { latenessOf, quantile } from "./ledger.ts";
import type { StoredAccount } from "./store.ts";

/** The length of steady scenarios; saturation takes three times as long, and a rate shows in less than the bench's 24 s. */
const SECONDS = { steady: 8, saturation: 2 };
/** Jobs are stored this long ahead, as in the bench, ms. */
const STORED_AHEAD_MS = 4_500;
const ORIGIN = "https://receiver.example.com";

/** Figures of the bench: `tests/bench/README.md`. */
type Figures = { p50: number; p99: number; lastArrival: number; perSecond: number; cpuUsPerDelivery: number };

/**
 * What the bench measured on two cores on 30 November 2026, with
 * `npm run bench -- --only steady300,burst5000,saturation --engines stopwatch --rounds 1 --seconds 8`.
 */
const MEASURED: readonly [ScenarioName, Partial<Figures>][] = [
  ["steady300", { p50: 0.62, p99: 6.55, cpuUsPerDelivery: 1_367 }],
  ["burst5000", { p50: 1_498, p99: 2_645, lastArrival: 2_663, cpuUsPerDelivery: 674 }],
  ["saturation", { perSecond: 1_849, cpuUsPerDelivery: 544 }],
];
/** The simulated figures are at most this many times the measured ones, and at least this part of them. */
const FACTOR = 2;
/** The same for the lateness of the latest where there is little to do: on the real machine, others take the cores then and again. */
const FACTOR_P99_STEADY = 4;

it.each(MEASURED)(
  "simulated and measured figures of %s agree within their factor",
  async (name, measured) => {
    const simulated = await simulate(name);
    for (const [figure, bench] of Object.entries(measured)) {
      const own = simulated[figure as keyof Figures];
      const factor = name === "steady300" && figure === "p99" ? FACTOR_P99_STEADY : FACTOR;
      console.log(`${name} ${figure}: simulated ${own.toFixed(2)}, measured ${bench}`);
      expect(Math.max(own / bench, bench / own), figure).toBeLessThan(factor);
    }
  },
  600_000,
);

/** Gives a simulated dispatcher the load of a scenario of the bench, and returns the bench's figures. */
async function simulate(name: ScenarioName): Promise<Figures> {
  const sim = new Simulation(1);
  try {
    const member = await sim.start();
    await sim.run(5_000);
    const accounts = Array.from({ length: ACCOUNTS }, () => sim.account());
    await deliver(sim, accounts, warmUpJobs(), 10_000);
    return await measure(sim, member, accounts, name);
  } finally {
    sim.close();
  }
}

async function measure(sim: Simulation, { actor }: Member, accounts: StoredAccount[], name: ScenarioName) {
  const length = name === "saturation" ? SECONDS.saturation : SECONDS.steady;
  const { jobs, seconds, saturates } = makeScenario(name, { seed: 1, seconds: length, backlog: 0, overdue: 0 });
  const [before, computedMs] = [sim.ledger.sentRequests.length, actor.computedMs];
  const beginMs = await deliver(sim, accounts, jobs, seconds * 1_000);
  const committed = [...sim.store.schedules.values()].filter(({ status }) => status === "succeeded").length - before;
  if (!saturates) await sim.runToEnd(60_000);
  const sent = sim.ledger.sentRequests.slice(before);
  const late = latenessOf(sent);
  return {
    p50: quantile(late, 0.5),
    p99: quantile(late, 0.99),
    lastArrival: (sent.at(-1)?.atMs ?? Number.NaN) - beginMs,
    perSecond: committed / seconds,
    cpuUsPerDelivery: ((actor.computedMs - computedMs) / sent.length) * 1_000,
  };
}

/** Stores jobs, and runs until `forMs` after the first may be due. Returns when it may be, epoch ms. */
async function deliver(sim: Simulation, accounts: StoredAccount[], jobs: readonly PlannedJob[], forMs: number) {
  const beginMs = Math.ceil(sim.world.now() + STORED_AHEAD_MS);
  for (const [n, of] of Map.groupBy(jobs, ({ account }) => account)) {
    const instants = of.map(({ offsetMs }) => beginMs + offsetMs);
    sim.store.create(accounts[n] as StoredAccount, ORIGIN, instants);
  }
  await sim.run(STORED_AHEAD_MS + forMs);
  return beginMs;
}
