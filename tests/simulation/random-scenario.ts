import type { Member, Simulation } from "./fleet.ts";
import type { Bounds } from "./judge.ts";
import { CROWDED, keepClaims, overdue, type Scenario, SHARD, spread } from "./scenario.ts";
import { World } from "./world.ts";

/**
 * A scenario that a seed decides: some adversaries, which share shards and origins with the control group or do not, and some
 * faults of processes and of the database.
 */
export function randomScenario(seed: number): Scenario {
  const { random } = new World(seed);
  const among = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const between = (low: number, high: number) => low + random() * (high - low);
  const dispatchers = among([1, 1, 2, 3]);
  const faults = random() < 0.5 ? [] : [among(FAULTS)];
  const adversaries = Array.from({ length: Math.floor(between(1, 4)) }, () => among(ADVERSARIES));
  const hurt = [...adversaries, ...faults].map((one) => one.bounds);
  const bounds = Object.assign({ overtakenByMs: PUT_BACK_MS }, ...hurt);
  return {
    name: [...adversaries, ...faults].map(({ name }) => name).join(", "),
    dispatchers,
    seconds: 10,
    begin(sim, members) {
      for (const [n, { begin }] of adversaries.entries()) {
        begin(sim, { between, among, origin: among([HOOK, `https://adversary-${n}.example.com`]) });
      }
      for (const { begin } of faults) begin(sim, members, between);
    },
    bounds,
  };
}

const HOOK = "https://hook.example.com";
/** What is put back, since its origin answers nothing, is read again within this. Meanwhile another may get a connection, ms. */
const PUT_BACK_MS = 500;

type Choices = {
  between: (low: number, high: number) => number;
  among: <T>(all: readonly T[]) => T;
  /** Of the control group, or its own. */
  origin: string;
};

type Adversary = { name: string; bounds?: Partial<Bounds>; begin: (sim: Simulation, choices: Choices) => void };

const shardOf = ({ among }: Choices) => among([{ shard: SHARD }, {}]);
const soon = (sim: Simulation, { between }: Choices) => sim.world.now() + between(500, 6_000);

const ADVERSARIES: readonly Adversary[] = [
  {
    name: "overdue",
    bounds: CROWDED,
    begin: (sim, choices) => {
      const accounts = Math.ceil(choices.between(1, 10));
      for (let n = 0; n < accounts; n++) {
        const account = sim.account({ ...shardOf(choices), cpsLimit: choices.among([20, 100, 500]) });
        overdue(
          sim,
          account,
          Math.ceil(choices.between(10, 3_000 / accounts)),
          choices.between(0, 5_000),
          choices.origin,
        );
      }
    },
  },
  {
    name: "over its rate",
    begin: (sim, choices) => {
      const cpsLimit = choices.among([1, 5, 20]);
      const from = soon(sim, choices);
      const count = Math.ceil(cpsLimit * 10 * choices.between(1, 3));
      sim.store.create(
        sim.account({ ...shardOf(choices), cpsLimit }),
        choices.origin,
        spread(count, from, from + 10_000),
      );
    },
  },
  {
    name: "at one instant",
    bounds: CROWDED,
    begin: (sim, choices) => {
      const at = soon(sim, choices);
      const accounts = Math.ceil(choices.between(1, 200));
      const each = Math.ceil(choices.between(1, 2_000 / accounts));
      for (let n = 0; n < accounts; n++) {
        sim.store.create(
          sim.account(shardOf(choices)),
          choices.origin,
          Array.from({ length: each }, () => at),
        );
      }
    },
  },
  {
    name: "a target that is slow, fails, hangs or refuses",
    begin: (sim, choices) => {
      const account = sim.account(shardOf(choices));
      const origin = "https://bad.example.com";
      const latencyMs = choices.among([20, 100, 500, 3_000]);
      const failing = choices.among([0, 0.1, 1]);
      const hanging = choices.among([0, 0, 0.05, 1]);
      const refusing = choices.among([0, 0, 0.2]);
      sim.targets.set(origin, {
        connectMs: () => (sim.world.random() < refusing ? "refused" : 1 + sim.world.random() * 20),
        latencyMs: () =>
          sim.world.random() < hanging ? Number.POSITIVE_INFINITY : latencyMs * (0.5 + sim.world.random()),
        status: () => (sim.world.random() < failing ? 500 : 200),
        connectionsMax: choices.among([4, 100, 1_000]),
      });
      const from = soon(sim, choices);
      sim.store.create(account, origin, spread(Math.ceil(choices.between(10, 600)), from, from + 8_000));
    },
  },
  {
    name: "many origins",
    begin: (sim, choices) => {
      const account = sim.account(shardOf(choices));
      const from = soon(sim, choices);
      const count = Math.ceil(choices.between(10, 500));
      for (let n = 0; n < count; n++) {
        const origin = `https://one-of-${n}.example.com`;
        if (choices.between(0, 1) < 0.2) sim.targets.set(origin, { connectMs: () => "hangs" });
        sim.store.create(account, origin, [from + n * 10]);
      }
    },
  },
];

type Fault = {
  name: string;
  /** What is allowed because of it. */
  bounds?: Partial<Bounds>;
  begin: (sim: Simulation, members: Member[], between: (low: number, high: number) => number) => void;
};

/** Deliveries may be late, and be repeated. */
const HURT: Partial<Bounds> = { hasLosses: true, p99Ms: 20_000, overtakenByMs: null };

const FAULTS: readonly Fault[] = [
  {
    name: "a process is killed and started again",
    bounds: HURT,
    begin: (sim, [first], between) => {
      const atMs = between(0, 8_000);
      sim.later(atMs, () => first && sim.kill(first));
      sim.later(atMs + between(200, 5_000), () => void sim.start());
    },
  },
  {
    name: "a process stands still",
    bounds: HURT,
    begin: (sim, [first], between) => {
      const forMs = between(500, 15_000);
      sim.later(between(0, 8_000), () => first && sim.freeze(first, forMs));
    },
  },
  {
    name: "a process joins",
    begin: (sim, _, between) => sim.later(between(0, 8_000), () => void sim.start()),
  },
  {
    name: "a crash loop",
    begin: (sim, _, between) => {
      const everyMs = between(1_500, 4_000);
      for (let n = 0; n < 5; n++) {
        sim.later(n * everyMs, () => {
          void sim.start(`crashing ${n}`).then((member) => sim.later(everyMs / 2, () => sim.kill(member)));
        });
      }
    },
  },
  {
    name: "the database is away",
    bounds: HURT,
    begin: (sim, _, between) => {
      const atMs = between(0, 8_000);
      sim.later(atMs, () => {
        sim.server.isAway = true;
      });
      sim.later(atMs + between(100, 12_000), () => {
        sim.server.isAway = false;
      });
    },
  },
  {
    name: "reads and claims are slow",
    begin: (sim, _, between) => {
      sim.server.slowness = { read: between(1, 10), claim: between(1, 5) };
    },
  },
  {
    name: "connections keep claims",
    bounds: { hasLosses: true, p99Ms: 5_000, overtakenByMs: null },
    begin: (sim, _, between) => keepClaims(sim, 1 / between(10, 100), between(100, 2_500), 10_000),
  },
];
