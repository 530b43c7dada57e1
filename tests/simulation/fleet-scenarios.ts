import { SHARDS } from "#domain/shard-share.ts";
import { SHARD_LEASE_MS, TAKEOVER_PAUSE_MS } from "#domain/timing.ts";
import type { Member, Simulation } from "./fleet.ts";
import { HOOK, many, overdue, type Scenario, spread } from "./scenario.ts";

/** From the end of the last lease. A late poll, or a dead dispatcher that still counts, would take longer, ms. */
const TAKEN_WITHIN_MS = 3_000;

/** How many shards a process is to own at this moment. */
function expectOwned(sim: Simulation, member: Member | undefined, shards: number): void {
  const owned = member?.dispatcher?.figures().owned;
  if (owned !== shards) sim.faults.push(`${member?.actor.name} owns ${owned} shards, not ${shards}`);
}

/** Scenarios about processes that come and go. */
export const FLEET_SCENARIOS: readonly Scenario[] = [
  {
    name: "a dispatcher that is killed, of two",
    dispatchers: 2,
    begin: (sim, [first, second]) => {
      expectOwned(sim, first, SHARDS / 2);
      expectOwned(sim, second, SHARDS / 2);
      sim.later(8_000, () => first && sim.kill(first));
      sim.later(8_000 + SHARD_LEASE_MS + TAKEOVER_PAUSE_MS + TAKEN_WITHIN_MS, () => expectOwned(sim, second, SHARDS));
    },
    bounds: { hasLosses: true, p99Ms: 8_000, overtakenByMs: 8_000 },
  },
  {
    name: "a dispatcher that stands still for 12 s, of two",
    dispatchers: 2,
    begin: (sim, [first]) => sim.later(8_000, () => first && sim.freeze(first, 12_000)),
    bounds: { hasLosses: true, p99Ms: 8_000, overtakenByMs: 8_000 },
  },
  {
    name: "a dispatcher that stands still for 12 s, alone, with twice what an account may send",
    begin: (sim, [first]) => {
      const account = sim.account({ cpsLimit: 100 });
      sim.store.create(account, HOOK, spread(4_000, sim.world.now() + 1_000, sim.world.now() + 21_000));
      sim.later(8_000, () => first && sim.freeze(first, 12_000));
    },
    // What was claimed before is put back, and leaves a turn of the lane later.
    bounds: { hasLosses: true, p99Ms: 13_000, overtakenByMs: 1_100 },
  },
  {
    name: "heartbeats that wait for 8 s, so that the lease is over meanwhile, with twice what an account may send",
    begin: (sim) => {
      const account = sim.account({ cpsLimit: 100 });
      sim.store.create(account, HOOK, spread(4_000, sim.world.now() + 1_000, sim.world.now() + 21_000));
      const from = sim.world.now() + 6_000;
      sim.server.held = (kind) => {
        const now = sim.world.now();
        return kind === "beat" && now > from && now < from + 8_000 ? { statementMs: from + 8_000 - now } : {};
      };
    },
    bounds: { hasLosses: true, p99Ms: 4_500, overtakenByMs: 300 },
  },
  {
    name: "accounts that create at short notice, while their backlog is taken over and reads take half a second",
    dispatchers: 2,
    begin: (sim, [first]) => {
      const accounts = many(40, (n) => sim.account({ cpsLimit: 20, shard: n }));
      for (const account of accounts) {
        sim.store.create(account, HOOK, spread(400, sim.world.now() + 1_000, sim.world.now() + 9_000));
        for (const atMs of spread(60, 6_000, 24_000))
          sim.later(atMs, () => sim.store.create(account, HOOK, [sim.world.now() + 300]));
      }
      sim.later(8_000, () => first && sim.kill(first));
      sim.later(8_000, () => {
        sim.server.slowness = { read: 400 };
      });
    },
    // By the seed, the p99 is 11 to 17 s, and in two of twelve one request is overtaken, by 0.7 s. When lanes were read from what was
    // announced, 2,337 were, by up to 19 s.
    bounds: { hasLosses: true, p99Ms: 25_000, overtakenByMs: 2_000 },
  },
  {
    name: "a crash loop beside two",
    dispatchers: 2,
    begin: (sim, members) => {
      for (let n = 0; n < 200; n++)
        sim.later(n * 100, () => {
          for (const member of members) expectOwned(sim, member, SHARDS / 2);
        });
      for (let n = 0; n < 6; n++) {
        sim.later(2_000 + n * 3_000, () => {
          void sim.start(`crashing ${n}`).then((member) => sim.later(2_000, () => sim.kill(member)));
        });
      }
    },
    bounds: { hasLosses: true },
  },
  {
    name: "a handover, a takeover and an owner that is stopped, with four lanes over their rate",
    seconds: 140,
    begin: (sim) => {
      many(4, () => overdue(sim, sim.account({ cpsLimit: 20 }), 2_400));
      const member = (n: number) => sim.members[n] as Member;
      sim.later(5_000, () => void sim.start());
      sim.later(25_000, () => sim.terminate(member(0)));
      sim.later(30_000, () => void sim.start());
      sim.later(50_000, () => sim.kill(member(1)));
      sim.later(75_000, () => void sim.start());
      sim.later(95_000, () => sim.freeze(member(2), 20_000));
    },
    bounds: { hasLosses: true, p99Ms: 20_000, overtakenByMs: null },
    check: ({ ledger, store }) => {
      const limited = [...store.accounts.values()].filter(({ cpsLimit }) => cpsLimit === 20);
      const senders = limited.map(
        ({ id }) => new Set(ledger.sentRequests.filter(({ accountId }) => accountId === id).map(({ by }) => by)).size,
      );
      return Math.max(...senders) >= 3 ? [] : [`no lane was sent by three processes: ${senders}`];
    },
  },
];
