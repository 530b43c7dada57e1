import type { DueSchedule } from "#db/queries/due-schedules.ts";
import type { Plans } from "#domain/plans.ts";
import { effectiveRelaySettings } from "#domain/relay-settings.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import { type Delivery, laneKey } from "../delivery/delivery.ts";
import { isUnclaimed } from "../delivery/states.ts";
import type { Alarm } from "../runtime/due-work.ts";
import type { WantedReads } from "./wanted-reads.ts";

/** Schedules in memory, of all lanes together. */
const MEMORY_MAX = 40_000;
const MEMORY_PER_LANE_MIN = 64;
/** What sending itself takes, of one that fires early, ms. */
const SEND_COST_MS = 0.3;

type Deps = {
  deliveries: Deliveries;
  plans: Plans;
  alarm: Alarm;
  shards: { holds(shard: number): boolean };
  recorder: { holds(scheduleId: string): boolean };
  rates: { setLimit(lane: string, callsPerSecond: number): void; limitOf(lane: string): number };
  connections: { earlyLeadMs(origin: string, sendCostMs: number): number };
  wantedReads: Pick<WantedReads, "addLane">;
};

/**
 * Decides what of the schedules that were read comes into memory. Memory is bounded per lane, about twice the lane's
 * calls per second and less where many lanes share it. A lane that is full is read again once it is half empty.
 */
export class Intake {
  readonly #deps: Deps;
  /** Lanes that had no room, with a schedule of theirs. */
  readonly #fullLanes = new Map<string, DueSchedule>();
  #stopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes what was read: what this process is to deliver and has room for becomes a delivery. */
  accept(due: readonly DueSchedule[]): void {
    if (this.#stopped) return;
    for (const one of due) this.#acceptOne(one);
    this.#deps.alarm.run();
  }

  /** A delivery has left its place in memory: its retry takes it, or what else its lane has. */
  onMemoryFree(delivery: Delivery): void {
    if (this.#stopped) return;
    this.#refill(delivery.lane);
    if (delivery.retry) this.accept([delivery.retry]);
  }

  /** Whether memory has room for more at all. */
  hasRoom(): boolean {
    return this.#pressure() < 1;
  }

  /** Takes nothing more. */
  stop(): void {
    this.#stopped = true;
  }

  #acceptOne(due: DueSchedule): void {
    const { deliveries, shards, recorder, rates, connections } = this.#deps;
    if (!due.accountActive || !shards.holds(due.shard) || recorder.holds(due.id)) return;
    const known = deliveries.get(due.id);
    if (known && known.version >= due.version) return;
    const lane = laneKey(due);
    rates.setLimit(lane, this.#callsPerSecond(due));
    if (!known && this.#memoryOf(lane) >= this.#memoryMax(lane)) {
      this.#fullLanes.set(lane, due);
      return;
    }
    if (known) {
      // A claim is in flight and will fail its version check. The old delivery keeps its place until it does.
      if (!isUnclaimed(known.state)) return;
      deliveries.move(known, "removed");
    }
    deliveries.add(due, due.early ? connections.earlyLeadMs(due.origin, SEND_COST_MS) : 0);
  }

  #refill(lane: string): void {
    const full = this.#fullLanes.get(lane);
    if (!full || this.#memoryOf(lane) * 2 > this.#memoryMax(lane)) return;
    this.#fullLanes.delete(lane);
    this.#deps.wantedReads.addLane(lane, full);
  }

  #memoryOf(lane: string): number {
    return this.#deps.deliveries.holdings.memoryByLane.get(lane) ?? 0;
  }

  /** Twice the lane's limit where there is space, and 64 where many lanes share it. */
  #memoryMax(lane: string): number {
    return Math.max(this.#deps.rates.limitOf(lane) * 2 * Math.max(1 - this.#pressure(), 0), MEMORY_PER_LANE_MIN);
  }

  #pressure(): number {
    return this.#deps.deliveries.size / MEMORY_MAX;
  }

  #callsPerSecond({ cpsLimit, plan }: DueSchedule): number {
    const own = { cpsLimit, retryAttempts: null, retryBackoffMs: null, retryStrategy: null, earlyFire: null };
    return effectiveRelaySettings(own, this.#deps.plans[plan]).cpsLimit;
  }
}
