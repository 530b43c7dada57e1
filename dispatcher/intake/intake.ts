import type { DueSchedule } from "#db/queries/schedules/due.ts";
import type { Plans } from "#domain/plans.ts";
import { effectiveRelaySettings } from "#domain/relay-settings.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import { type Delivery, laneKey } from "../delivery/delivery.ts";
import { isOfLargeBurst } from "../delivery/reserve.ts";
import { isUnclaimed } from "../delivery/states.ts";
import type { Time } from "../runtime/clock.ts";
import type { Alarm } from "../runtime/due-work.ts";
import { isLate } from "../runtime/lateness.ts";
import { DELIVERY } from "../tuning/delivery.ts";
import { INTAKE } from "../tuning/intake.ts";
import type { Lanes } from "./lanes.ts";
import { freeFor, memoryOfLateMax } from "./memory.ts";

type Deps = {
  deliveries: Deliveries;
  plans: Plans;
  alarm: Alarm;
  clock: Time;
  shards: { owns(shard: number): boolean };
  recorder: { holds(scheduleId: string): boolean };
  rates: { setLimit(lane: string, callsPerSecond: number): void };
  connections: { earlyLeadMs(origin: string, sendCostMs: number): number };
  waitingList: { isFull(origin: string): boolean };
  lanes: Lanes;
  expiries: { add(due: DueSchedule): boolean };
};

/** Decides which of the schedules that were read come into memory, which is bounded. */
export class Intake {
  readonly #deps: Deps;
  #stopped = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes a schedule if this process is to deliver it. Returns false when there is no capacity for it. */
  accept(due: DueSchedule): boolean {
    const { deliveries, shards, recorder, rates, connections, expiries, clock } = this.#deps;
    if (this.#stopped || !due.accountActive || !shards.owns(due.shard) || recorder.holds(due.id)) return true;
    const known = deliveries.get(due.id);
    if (known && known.version >= due.version) return true;
    if (known) {
      // A claim is in flight and will fail its version check. The old delivery keeps its place until it does.
      if (!isUnclaimed(known.state)) return true;
      deliveries.move(known, "removed");
    }
    const nowMs = clock.now();
    if (hasExpired(due, nowMs)) return expiries.add(due);
    if (!known && !this.#hasCapacity(due, nowMs)) return false;
    rates.setLimit(laneKey(due), this.#callsPerSecond(due));
    deliveries.add(due, due.early ? connections.earlyLeadMs(due.origin, INTAKE.sendCostMs) : 0);
    return true;
  }

  /**
   * Takes schedules that were read by id. A schedule that its lane has not reached yet is not taken: others of the lane
   * are due before it. The lane is read again instead.
   */
  acceptNamed(due: readonly DueSchedule[]): void {
    const { lanes } = this.#deps;
    if (this.#stopped) return;
    for (const one of due) {
      const key = laneKey(one);
      const lane = lanes.get(key);
      if (!lane) lanes.wake(one, key);
      else if (lane.isReached(one) && this.accept(one)) lanes.use(lane);
      else lanes.readAgain(lane, one.dueAtMs);
    }
    this.run();
  }

  /** A delivery has left memory. Its retry, or more schedules of its lane, can take the place. */
  onMemoryFree(delivery: Delivery): void {
    if (this.#stopped) return;
    const { lanes } = this.#deps;
    const lane = lanes.get(delivery.lane);
    if (lane?.moreFromMs === null) lanes.rest(lane);
    else if (lane) lanes.want(lane);
    if (delivery.retry) this.acceptNamed([delivery.retry]);
  }

  /**
   * Puts back overdue schedules that wait for a connection when they leave too little memory for late schedules that
   * can be sent. They are read again later.
   */
  putBackWaiting(): void {
    const { deliveries, lanes, clock } = this.#deps;
    if (deliveries.size < memoryOfLateMax()) return;
    const tooMany = Math.min(deliveries.count("awaiting connection") - INTAKE.memoryOfWaitingMax, INTAKE.atOnceMax);
    if (tooMany <= 0) return;
    const nowMs = clock.now();
    const isWaiting = ({ state, dueAtMs }: Delivery) =>
      state === "awaiting connection" && dueAtMs < nowMs - DELIVERY.longLateMs;
    for (const delivery of deliveries.find(isWaiting, tooMany)) {
      const lane = lanes.get(delivery.lane);
      if (!lane) continue;
      lanes.backOff(lane);
      deliveries.move(delivery, "removed");
      lanes.readAgain(lane, delivery.dueAtMs);
    }
  }

  /** Runs the stages, so that the deliveries just taken start. */
  run(): void {
    this.#deps.alarm.run();
  }

  /** Takes nothing more. */
  stop(): void {
    this.#stopped = true;
  }

  #hasCapacity({ dueAtMs, origin }: DueSchedule, nowMs: number): boolean {
    const { deliveries, waitingList } = this.#deps;
    if (freeFor(dueAtMs, nowMs, deliveries.holdings) === 0) return false;
    const waiting = deliveries.count("awaiting connection");
    if (waiting < INTAKE.memoryOfWaitingMax || !isLate(dueAtMs, nowMs) || !waitingList.isFull(origin)) return true;
    // What is only a little late, and of no large burst, does not wait until a large burst has gone.
    return dueAtMs > nowMs - DELIVERY.longLateMs && !isOfLargeBurst(dueAtMs, deliveries.holdings);
  }

  #callsPerSecond({ cpsLimit, plan }: DueSchedule): number {
    const own = { cpsLimit, retryAttempts: null, retryBackoffMs: null, retryStrategy: null, earlyFire: null };
    return effectiveRelaySettings(own, this.#deps.plans[plan]).cpsLimit;
  }
}

/** Whether no attempt may begin any more, neither now nor when it is due. */
const hasExpired = ({ dueAtMs, expiresAtMs }: DueSchedule, nowMs: number): boolean =>
  expiresAtMs !== null && expiresAtMs < Math.max(dueAtMs, nowMs);
