import type { Random } from "../../helpers/random.ts";
import type { Behaviour } from "../behaviour.ts";
import type { Place } from "../origins.ts";

/** Where a schedule's request goes, and how its target answers. */
export type Target = { behaviour: Behaviour; place: Place };

/** One schedule to create, due `dueAtMs` after the attack began. */
export type Order = Target & { dueAtMs: number };

/** One action of an adversary, `atMs` after its attack began. */
export type Step = { atMs: number } & (
  | { kind: "create"; account: number; orders: Order[] }
  /** For all accounts of the adversary. */
  | { kind: "deactivate" | "activate" }
  /** For the dispatcher in the slot that only the crash loop uses. */
  | { kind: "start" | "kill" }
);

/** Accounts, or a process, that do what is allowed and must not make requests of other accounts late. */
export type Adversary = {
  name: string;
  /** A short description for the README and the report. */
  does: string;
  accounts: number;
  /** Calls per second of each of its accounts; null for what the plan allows. */
  cpsLimit: number | null;
  /** Whether its accounts are in the shard of some control accounts. */
  besideControl: boolean;
  /**
   * The steps of one attack of `forMs`, drawn from `random`. When the attack ends, the runner reactivates its accounts
   * and answers its hanging requests, without a step for that.
   */
  steps(random: Random, forMs: number): Step[];
};

/** Splits the orders into bulk calls of the size that the API allows, all made at `atMs`. */
export function bulk(atMs: number, account: number, orders: readonly Order[]): Step[] {
  return Array.from({ length: Math.ceil(orders.length / BULK_MAX) }, (_, n) => ({
    kind: "create" as const,
    atMs,
    account,
    orders: orders.slice(n * BULK_MAX, (n + 1) * BULK_MAX),
  }));
}

const BULK_MAX = 500;

/** Returns `count` orders with one target, due at random instants from `fromMs` to `untilMs`. */
export function spread(
  random: Random,
  count: number,
  [fromMs, untilMs]: readonly [number, number],
  target: Target,
): Order[] {
  return Array.from({ length: count }, () => ({ dueAtMs: Math.ceil(random.between(fromMs, untilMs)), ...target }));
}

/**
 * Returns the steps of a steady stream of `perSecond` orders, created once a second and due five to six seconds later.
 */
export function stream(account: number, perSecond: number, forMs: number, targetOf: (n: number) => Target): Step[] {
  const seconds = Math.floor(forMs / 1_000) - AHEAD_S;
  return Array.from({ length: Math.max(seconds, 1) }, (_, second) => ({
    kind: "create" as const,
    atMs: second * 1_000,
    account,
    orders: Array.from({ length: perSecond }, (_, n) => ({
      ...targetOf(second * perSecond + n),
      dueAtMs: Math.ceil((second + AHEAD_S) * 1_000 + ((n + 0.5) * 1_000) / perSecond),
    })),
  }));
}

const AHEAD_S = 5;
