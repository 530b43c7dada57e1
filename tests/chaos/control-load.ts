import type { Random } from "../helpers/random.ts";
import type { Order } from "./adversaries/adversary.ts";

/** One call of the control group, which creates one or two schedules. `dueAtMs` counts from the start of the run. */
export type ControlCall = { atMs: number; account: number; orders: Order[] };

/** Number of control accounts. The first ones are in the shard that adversaries share. */
export const CONTROL_ACCOUNTS = 10;
export const BESIDE_ADVERSARIES = 3;

const CALLS_PER_SECOND = 14;

/**
 * Draws the load of the control group: about 20 schedules a second over all accounts, due half a second to five seconds
 * later, to healthy targets. Every third goes to the origin on which an adversary has a hanging path. Four in ten calls
 * create two schedules.
 */
export function drawControlCalls(random: Random, seconds: number): ControlCall[] {
  return Array.from({ length: seconds * CALLS_PER_SECOND }, (_, index) => {
    const atMs = ((index + random.next()) * 1_000) / CALLS_PER_SECOND;
    const order = (): Order => ({
      dueAtMs: Math.ceil(atMs + random.between(500, 5_000)),
      behaviour: "ok",
      place: random.chance(1 / 3) ? "shared" : "well",
    });
    const account = Math.floor(random.next() * CONTROL_ACCOUNTS);
    return { atMs, account, orders: random.chance(0.4) ? [order(), order()] : [order()] };
  });
}
