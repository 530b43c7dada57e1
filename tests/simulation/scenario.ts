import type { Member, Simulation } from "./fleet.ts";
import type { Bounds } from "./judge.ts";
import type { StoredAccount } from "./store.ts";

export type Scenario = {
  name: string;
  dispatchers?: number;
  /** Prepares what happens. The control group has `seconds` of schedules from its call on. */
  begin: (sim: Simulation, members: Member[]) => void | Promise<void>;
  seconds?: number;
  settings?: Record<string, string>;
  bounds?: Partial<Bounds>;
  /** What is broken of the scenario's own promise, a line each. */
  check?: (sim: Simulation) => string[];
};

export const HOOK = "https://hook.example.com";
export const SLOW = "https://slow.example.com";
/**
 * The control group's p99 while more is due at once than the machine can send, ms: the bench's threshold
 * (`tests/bench/thresholds.ts`). What falls due waits for a turn of the event loop, which sends for up to 50 ms. Beside 40,000 accounts
 * at one instant the bench measured 162 to 189 ms.
 */
export const CROWDED: Partial<Bounds> = { p99Ms: 250 };
/** The shard that neighbours share with a third of the control group. */
export const SHARD = 7;

export const spread = (count: number, fromMs: number, toMs: number) =>
  Array.from({ length: count }, (_, n) => fromMs + ((toMs - fromMs) * n) / count);

/** Schedules that became overdue while their account was not active; it is active again in `inMs`. */
export function overdue(sim: Simulation, account: StoredAccount, count: number, inMs = 0, origin = HOOK): void {
  sim.store.setActive(account, false);
  const now = sim.world.now();
  sim.store.create(account, origin, spread(count, now, now + 1));
  sim.later(inMs, () => sim.store.setActive(account, true));
}

/** For `forMs`, connections keep this share of the claims, or of their answers, for up to `mostMs`. */
export function keepClaims(sim: Simulation, share: number, mostMs: number, forMs: number): void {
  const untilMs = sim.world.now() + forMs;
  sim.server.held = (kind) => {
    if (kind !== "claim" || sim.world.now() > untilMs || sim.world.random() > share) return {};
    const ms = mostMs * sim.world.random();
    return sim.world.random() < 0.5 ? { statementMs: ms } : { answerMs: ms };
  };
}

/** What `make` makes, `count` times. */
export const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

/** Answers of a target that takes this long, about. */
export const around = (sim: Simulation, ms: number) => () => ms * (0.8 + 0.4 * sim.world.random());
