import { Simulation } from "./fleet.ts";
import { judge, type Verdict } from "./judge.ts";
import { type Scenario, SHARD } from "./scenario.ts";

/** An unhindered p99 on the simulated machine is below a millisecond. */
const P99_MS = 50;
const CONTROLLED_A_SECOND = 20;

/** Plays a scenario beside a control group, and judges it. */
export async function runScenario(
  scenario: Scenario,
  seed: number,
): Promise<Verdict & { events: number; elapsedMs: number }> {
  const { dispatchers = 1, begin, seconds = 20, bounds } = scenario;
  const sim = new Simulation(seed, scenario.settings);
  try {
    const members = [];
    for (let n = 0; n < dispatchers; n++) members.push(await sim.start());
    // Until the shards are shared.
    await sim.run(dispatchers === 1 ? 5_000 : 20_000);
    const control = Array.from({ length: 10 }, (_, n) => sim.account(n % 3 === 0 ? { shard: SHARD } : {}));
    const from = sim.world.now() + 3_000;
    for (let n = 0; n < seconds * CONTROLLED_A_SECOND; n++) {
      const account = control[n % control.length];
      const origin = n % 3 === 0 ? "https://hook.example.com" : `https://control-${n % 7}.example.com`;
      const atMs = from + (n * 1_000) / CONTROLLED_A_SECOND + sim.world.random() * 40;
      // Stored a while ahead, as most are.
      const aheadMs = 500 + sim.world.random() * 10_000;
      if (account)
        sim.later(Math.max(atMs - aheadMs - sim.world.now(), 0), () => sim.store.create(account, origin, [atMs]));
    }
    await begin(sim, members);
    await sim.run(seconds * 1_000 + 4_000);
    await sim.runToEnd(10_800_000);
    await sim.run(5_000);
    const verdict = judge(sim, { control, p99Ms: P99_MS, ...bounds });
    verdict.broken.push(...(scenario.check?.(sim) ?? []));
    return { ...verdict, events: sim.world.events, elapsedMs: sim.world.elapsedMs() };
  } finally {
    sim.close();
  }
}
