import { latenessOf, quantile } from "./ledger.ts";
import { many, type Scenario, SLOW, spread } from "./scenario.ts";

/** Scenarios about how many connections there are. */
export const CONNECTION_SCENARIOS: readonly Scenario[] = [
  {
    name: "connects that hang, to 300 origins",
    begin: (sim) => {
      const account = sim.account();
      for (let n = 0; n < 300; n++) {
        const origin = `https://silent-${n}.example.com`;
        sim.targets.set(origin, { connectMs: () => "hangs" });
        sim.store.create(account, origin, [sim.world.now() + 2_000 + n * 20]);
      }
    },
  },
  {
    name: "2,000 origins of one account, 100 a second",
    begin: (sim) => {
      const account = sim.account();
      for (let n = 0; n < 2_000; n++) {
        sim.store.create(account, `https://of-${n}.example.com`, [sim.world.now() + 2_000 + n * 10]);
      }
    },
  },
  {
    name: "150 at one instant, to a target that keeps its connections open",
    begin: (sim) => sim.store.create(sim.account(), SLOW, Array(150).fill(sim.world.now() + 5_000)),
    check: ({ targets }) => {
      const opened = Math.max(...[...targets.peaks.toOrigin.most].flatMap(([key, n]) => (key.endsWith(SLOW) ? n : [])));
      return opened < 150 ? [] : [`${opened} connections were open for 150 requests`];
    },
  },
  {
    name: "retries, to an origin all of whose connections a steady stream of 800 a second has",
    settings: { PLANS: JSON.stringify({ indie: { retryBackoffMs: 1_000 } }) },
    begin: (sim) => {
      const failing = sim.account();
      const isRetried = ({ account, attempt }: { account: string; attempt: number }) =>
        account === failing.id && attempt === 1;
      sim.targets.set(SLOW, { latencyMs: () => 40, status: (request) => (isRetried(request) ? 500 : 200) });
      sim.store.create(failing, SLOW, spread(20, sim.world.now() + 3_000, sim.world.now() + 4_000));
      many(10, () => {
        sim.store.create(sim.account(), SLOW, spread(1_600, sim.world.now() + 1_000, sim.world.now() + 21_000));
      });
    },
    check: ({ ledger }) => {
      const streamedToMs = Math.max(...ledger.sentRequests.filter((one) => !one.isRetry).map(({ atMs }) => atMs));
      const retries = ledger.sentRequests.filter(({ isRetry }) => isRetry);
      const inTime = retries.filter(({ atMs }) => atMs < streamedToMs - 10_000).length;
      return inTime === 20 ? [] : [`${inTime} of ${retries.length} retries were sent during the stream`];
    },
  },
  {
    name: "333 a second to a target that answers in half a second, after 50 a second",
    begin: (sim) => {
      const account = sim.account();
      sim.targets.set(SLOW, { latencyMs: () => 500 });
      const from = sim.world.now() + 1_500;
      sim.store.create(account, SLOW, [
        ...spread(100, from, from + 2_000),
        ...spread(1_800, from + 2_000, from + 7_400),
      ]);
    },
    check: ({ ledger }) => {
      const slow = ledger.sentRequests.filter(({ origin }) => origin === SLOW);
      const fromMs = Math.max(...slow.map(({ dueAtMs }) => dueAtMs)) - 2_000;
      const half = quantile(latenessOf(slow.filter(({ dueAtMs }) => dueAtMs > fromMs)), 0.5);
      return half <= 1_000 ? [] : [`half of those of the last two seconds left ${half.toFixed(0)} ms late or more`];
    },
  },
];
