import type { Behaviour } from "../behaviour.ts";
import type { Place } from "../origins.ts";
import type { Random } from "../random.ts";

/** Where a schedule goes, and how that answers. */
export type Target = { behaviour: Behaviour; place: Place };

/** One schedule to create, due `dueAtMs` after the attack began. */
export type Order = Target & { dueAtMs: number };

/** What an adversary does, `atMs` after its attack began. */
export type Step = { atMs: number } & (
  | { kind: "create"; account: number; orders: Order[] }
  /** All accounts of the adversary. */
  | { kind: "deactivate" | "activate" }
  /** The dispatcher in the slot that only the crash loop uses. */
  | { kind: "start" | "kill" }
);

/** Users, or a process, that do what is allowed and should make nobody else late. */
export type Adversary = {
  name: string;
  /** In a few words, for the README and the report. */
  does: string;
  accounts: number;
  /** The calls per second each of its accounts may make; null: what its plan allows. */
  cpsLimit: number | null;
  /** Its accounts are in the shard that some of the control group are in. */
  besideControl: boolean;
  /**
   * The steps of one attack of `forMs`, drawn from `random`. In the end its accounts are active again and what hangs is
   * answered, without a step for it.
   */
  steps(random: Random, forMs: number): Step[];
};

/** The orders in calls of as many schedules as the API takes at once, all made at `atMs`. */
export function bulk(atMs: number, account: number, orders: readonly Order[]): Step[] {
  return Array.from({ length: Math.ceil(orders.length / BULK_MAX) }, (_, n) => ({
    ...{ kind: "create" as const, atMs, account },
    orders: orders.slice(n * BULK_MAX, (n + 1) * BULK_MAX),
  }));
}

const BULK_MAX = 500;

/** `count` orders due at random instants from `fromMs` to `untilMs`, all of one behaviour at one place. */
export function spread(
  random: Random,
  count: number,
  [fromMs, untilMs]: readonly [number, number],
  target: Target,
): Order[] {
  return Array.from({ length: count }, () => ({ dueAtMs: Math.ceil(random.between(fromMs, untilMs)), ...target }));
}

/** A steady stream of `perSecond`, created a second at a time, each of which falls due five to six seconds later. */
export function stream(account: number, perSecond: number, forMs: number, targetOf: (n: number) => Target): Step[] {
  const seconds = Math.floor(forMs / 1_000) - AHEAD_S;
  return Array.from({ length: Math.max(seconds, 1) }, (_, second) => ({
    ...{ kind: "create" as const, atMs: second * 1_000, account },
    orders: Array.from({ length: perSecond }, (_, n) => ({
      ...targetOf(second * perSecond + n),
      dueAtMs: Math.ceil((second + AHEAD_S) * 1_000 + ((n + 0.5) * 1_000) / perSecond),
    })),
  }));
}

const AHEAD_S = 5;
